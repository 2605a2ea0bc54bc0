"""Hadoop's configuration files."""

from xml.sax.saxutils import escape

LOG4J = """\
log4j.rootLogger=INFO, out
# There are no native libraries in Maven, and every program would print a warning.
log4j.logger.org.apache.hadoop.util.NativeCodeLoader=ERROR
log4j.logger.http.requests=WARN
log4j.appender.out=org.apache.log4j.ConsoleAppender
log4j.appender.out.target=System.err
log4j.appender.out.layout=org.apache.log4j.PatternLayout
log4j.appender.out.layout.ConversionPattern=%d{ISO8601} %p %c{2}: %m%n
"""


def write(folder, sites, log_level="INFO"):
    """Writes NAME-site.xml (or NAME.xml where the name has that ending) for each {name: {key: value}}, and how to log."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, values in sites.items():
        file = folder / (name if name.endswith(".xml") else f"{name}-site.xml")
        file.write_text(_document(values))
    (folder / "log4j.properties").write_text(LOG4J.replace("INFO", log_level, 1))


def copy(source, target, settings):
    """Another configuration with some settings changed: what comes last in a file counts."""
    target.mkdir()
    for file in source.iterdir():
        text = file.read_text()
        if file.suffix == ".xml":
            text = text.replace("</configuration>", _properties(settings) + "</configuration>")
        (target / file.name).write_text(text)


def merged(*layers):
    """Several {name: {key: value}}, later ones winning."""
    result = {}
    for layer in layers:
        for name, values in layer.items():
            result.setdefault(name, {}).update(values)
    return result


def everywhere(settings):
    """Settings of a user's own, whichever file they belong to."""
    return {name: settings for name in ("core", "hdfs", "yarn")}


def _document(values):
    return '<?xml version="1.0" encoding="UTF-8"?>\n<configuration>\n' + _properties(values) + "</configuration>\n"


def _properties(values):
    return "".join(f"  <property><name>{escape(key)}</name><value>{escape(str(value))}</value></property>\n" for key, value in values.items())
