"""Runs the program of the FirstClient article as it stands there.

Usage: tutorial.py http://HOST:PORT. It registers an account, starts a public run with one point, and runs the program until that shows
the runner. It says what it has done in lines of JSON.
"""

import datetime
import json
import pathlib
import re
import sys
import urllib.request
import uuid

SECONDS_MAX = 20
ARTICLE = pathlib.Path(__file__).parents[3] / "Sources/campanile/Documentation.docc/FirstClient.md"


def say(event, **members):
    print(json.dumps({"event": event} | members), file=sys.__stdout__, flush=True)


class Screen:
    """What the program prints. Says once that a name is shown."""

    def __init__(self, name):
        self.name = name
        self.is_shown = False

    def write(self, text):
        if self.name in text and not self.is_shown:
            self.is_shown = True
            say("shown", name=self.name)

    def flush(self):
        pass


def call(base, method, token=None, **params):
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{base}/rpc", body, headers), timeout=SECONDS_MAX) as answer:
        return json.load(answer)["result"]


def place(base):
    """A position in a zone in which nobody lives."""
    bounds = call(base, "campus.info")["bounds"]
    for row in range(1, 20):
        for column in range(1, 20):
            lat = bounds["south"] + (bounds["north"] - bounds["south"]) * row / 20
            lon = bounds["west"] + (bounds["east"] - bounds["west"]) * column / 20
            zone = call(base, "campus.locate", lat=lat, lon=lon).get("zone")
            if zone and not zone.get("residence"):
                return lat, lon
    raise RuntimeError("the campus has no zone")


def run(base, name):
    """Starts a public run of one point."""
    token = call(base, "account.register", username=name, email=f"{name}@example.org", password="Longer8pass")["token"]
    lat, lon = place(base)
    session = call(base, "tracking.start", token, activity="run", clientId=str(uuid.uuid4()), audience="public")["session"]["id"]
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    point = {"seq": 1, "lat": lat, "lon": lon, "time": now}
    say("tracked", stored=call(base, "tracking.points", token, session=session, points=[point])["stored"])


def main(base):
    program = re.search(r"```python\n(.*?)```", ARTICLE.read_text(encoding="utf-8"), re.DOTALL)[1]
    say("read", lines=program.count("\n"))
    name = "r" + uuid.uuid4().hex[:12]
    run(base, name)
    sys.stdout = Screen(name)
    sys.argv = ["runners.py", base.replace("http", "ws", 1) + "/ws"]
    exec(compile(program, "runners.py", "exec"), {"__name__": "__main__"})


main(sys.argv[1].rstrip("/"))
