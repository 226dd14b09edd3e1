"""What both examples need of Tidemark's HTTP: nothing but Python's own library."""

import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request

URL = os.environ.get("TIDEMARK_URL", "http://127.0.0.1:7400")
TOKEN = os.environ.get("TIDEMARK_ACCESS_TOKEN")


def call(method, path, body=None, query=None, headers=None, timeout=700):
    """Sends JSON (or lines, as bytes), and answers with the open response. Comes back when it is told to."""
    url = URL + path + ("?" + urllib.parse.urlencode(query) if query else "")
    data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
    kind = "application/x-ndjson" if isinstance(body, bytes) else "application/json"
    sent = {"content-type": kind, **(headers or {})}
    if TOKEN:
        sent["authorization"] = "Bearer " + TOKEN
    while True:
        try:
            return urllib.request.urlopen(urllib.request.Request(url, data, sent, method=method), timeout=timeout)
        except urllib.error.HTTPError as error:
            wait = error.headers.get("retry-after")
            if wait is None:
                problem = json.load(error)
                raise SystemExit(f"{problem['title']} {problem['where']}: {problem['why']}. {problem['do']}") from None
            time.sleep(float(wait))


def ask(method, path, body=None, **options):
    """The answer's JSON."""
    with call(method, path, body, **options) as response:
        return json.load(response)


def lines(method, path, body=None, **options):
    """The answer's lines, as they come."""
    with call(method, path, body, **options) as response:
        for line in response:
            yield json.loads(line)
