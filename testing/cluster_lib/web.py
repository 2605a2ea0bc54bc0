"""What daemons say about themselves over HTTP."""

import http.client
import json
import urllib.parse


def json_of(address, port, path):
    """A JSON document, or None where there is no answer or none that can be read: the daemon is not up yet."""
    connection = http.client.HTTPConnection(address, port, timeout=5)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        body = response.read()
        return json.loads(body) if response.status == 200 else None
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()


def bean(address, port, name):
    """The attributes of a management bean, or None."""
    answer = json_of(address, port, "/jmx?" + urllib.parse.urlencode({"qry": name}))
    return answer["beans"][0] if answer and answer.get("beans") else None
