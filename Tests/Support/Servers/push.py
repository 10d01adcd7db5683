"""A push service and the browsers behind it, for tests: decrypts with http-ece and checks tokens with PyJWT, none of which is ours. Prints
its port and the browsers' keys, then a line of JSON for each request.

usage: push.py CERTIFICATE KEY [SECONDS]

SECONDS is how far ahead the senders' clocks may be.

What it does goes by the path: /gone… is answered 410, /busy… 429 the first time, /hang… is never answered, /redirect… leads away.
"""

import base64
import http.server
import json
import os
import ssl
import sys
import threading
import time
from collections import Counter

import http_ece
import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

key = ec.generate_private_key(ec.SECP256R1())
secret = os.urandom(16)
tries = Counter()
lock = threading.Lock()
clock_ahead = float(sys.argv[3]) if len(sys.argv) > 3 else 0.0


def encode(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def say(**what):
    with lock:
        print(json.dumps(what), flush=True)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        tries[self.path] += 1
        what = {name.lower(): value for name, value in self.headers.items()}
        try:
            text = http_ece.decrypt(body, private_key=key, auth_secret=secret, version="aes128gcm")
            scheme, values = what["authorization"].split(" ", 1)
            assert scheme == "vapid"
            values = dict(part.strip().split("=", 1) for part in values.split(","))
            public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decode(values["k"]))
            audience = f"https://localhost:{port}"
            claims = jwt.decode(values["t"], key=public, algorithms=["ES256"], audience=audience)
            # By the sender's own clock, which a test may have put ahead: RFC 8292 §2 has a day at most.
            assert claims["exp"] - clock_ahead - time.time() <= 86400
            say(
                event="push", path=self.path, tries=tries[self.path], bytes=len(body), headers=what,
                payload=json.loads(text), key=values["k"], contact=claims["sub"],
            )
        except Exception as error:
            say(event="bad", path=self.path, error=repr(error))
        status = 201
        if self.path.startswith("/gone"):
            status = 410
        if self.path.startswith("/redirect"):
            status = 307
        if self.path.startswith("/busy") and tries[self.path] == 1:
            status = 429
        if self.path.startswith("/hang"):
            time.sleep(3600)
        self.send_response(status)
        if status == 429:
            self.send_header("Retry-After", "7")
        if status == 307:
            self.send_header("Location", f"https://localhost:{port}/led-away")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
server.socket = context.wrap_socket(server.socket, server_side=True)
port = server.server_address[1]
point = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
say(port=port, p256dh=encode(point), auth=encode(secret))
server.serve_forever()
