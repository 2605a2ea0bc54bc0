#!/bin/sh
# note.sh FOLDER COMMAND…: runs the command of a task and notes in FOLDER when it starts and ends.
# The lock is held while any process of the task has descriptor 9: two attempts of a rank at a time cannot go unnoticed.
folder=$1
shift
rank=$YDL_ROLE-$YDL_INDEX
exec 9>>"$folder/$rank.lock"
if ! flock -n 9; then
  echo "overlap $YDL_ATTEMPT $(date +%s.%N)" >>"$folder/$rank"
  flock 9
fi
echo "start $YDL_ATTEMPT $(date +%s.%N) $$ ${CONTAINER_ID:-}" >>"$folder/$rank"
"$@"
code=$?
echo "end $YDL_ATTEMPT $(date +%s.%N) $code" >>"$folder/$rank"
exit $code
