#!/usr/bin/env bash
# Fetches the jars of one Hadoop release with Maven, if they are not there yet, and prints their folder: tools/setup/hadoop.sh 3.4.1
#
# The folder lives in the user's cache under a name made of the release and of what is fetched (the POM below), so a changed list makes a
# new folder and never alters one that daemons run from.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

fail() {
  printf 'tools/setup/hadoop.sh: %s\n' "$1" >&2
  exit 1
}

(($# == 1)) && [[ $1 =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "give one release of Hadoop, such as 3.4.1."
version=$1

# The daemons and the clients; the ResourceManager does not start without the classes of the timeline service.
artifacts=(hadoop-common hadoop-hdfs hadoop-yarn-server-resourcemanager hadoop-yarn-server-nodemanager hadoop-yarn-client
  hadoop-yarn-server-timelineservice)
# A router of HDFS's federation; 3.3 does not have the second one.
if [[ $version != 3.3.* ]]; then artifacts+=(hadoop-hdfs-rbf hadoop-federation-balance); fi

pom() {
  local artifact
  echo '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
  echo '<groupId>ydl.testing</groupId><artifactId>hadoop-jars</artifactId><version>1</version><packaging>pom</packaging><dependencies>'
  for artifact in "${artifacts[@]}"; do
    echo "<dependency><groupId>org.apache.hadoop</groupId><artifactId>$artifact</artifactId><version>$version</version></dependency>"
  done
  echo '</dependencies></project>'
}

key=$(pom | sha256sum | cut -c1-12)
folder=${XDG_CACHE_HOME:-$HOME/.cache}/ydl/hadoop/$version-$key
if [[ -e $folder/.complete ]]; then
  echo "$folder"
  exit 0
fi

# Of several runs at once one fetches and the others wait for it here.
mkdir -p "$(dirname "$folder")"
exec 9>"$folder.lock"
flock 9

fetch() {
  "$here/apt.sh" hadoop 9>&-
  echo "Fetching the jars of Hadoop $version into $folder" >&2
  rm -rf "$folder"
  mkdir -p "$folder"
  pom >"$folder/pom.xml"
  mvn --batch-mode --quiet --file "$folder/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
    -DoutputDirectory="$folder/jars" -DincludeScope=runtime >&2 ||
    fail "Maven could not fetch Hadoop $version (its message is above); see that the release exists and that Maven reaches a repository."
  touch "$folder/.complete"
}

if [[ ! -e $folder/.complete ]]; then fetch; fi
echo "$folder"
