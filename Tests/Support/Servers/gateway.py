"""A provider of text messages, for tests. Prints its port, then a line of JSON for each request.

What it does goes by the number's end: …00 is answered 400, …29 429 the first time, …50 is never answered.
"""

import http.server
import json
import threading
import time
from collections import Counter

tries = Counter()
lock = threading.Lock()


def say(**what):
    with lock:
        print(json.dumps(what), flush=True)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        tries[body["to"]] += 1
        say(event="text", body=body, tries=tries[body["to"]], authorization=self.headers.get("Authorization"))
        status = 202
        if body["to"].endswith("00"):
            status = 400
        if body["to"].endswith("29") and tries[body["to"]] == 1:
            status = 429
        if body["to"].endswith("50"):
            time.sleep(3600)
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
say(port=server.server_address[1])
server.serve_forever()
