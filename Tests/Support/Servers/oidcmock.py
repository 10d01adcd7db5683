"""Runs oidc-provider-mock, a provider of OpenID Connect that is not ours (Flask and Authlib). Prints its port and its issuer, then
answers as openid.py does:

/visit?url=…        signs a person in and answers with the callback, as JSON
/control?rotate=…   has it sign by another key
"""

import os
import sys

try:
    import oidc_provider_mock
except ImportError:
    # It has an environment of its own, because it needs newer packages than Debian's (deploy/test-python).
    python = os.path.join(sys.prefix, "provider", "bin", "python3")
    os.execv(python, [python, "-W", "ignore", *sys.argv])

import json
import logging
import urllib.error
import urllib.parse
import urllib.request

logging.disable(logging.CRITICAL)

import flask
import werkzeug.serving
from authlib import jose

claims = {"email": "anna@example.org", "email_verified": True, "name": "Anna Berg"}
app = oidc_provider_mock.app(user_claims=[oidc_provider_mock.User(sub="anna", claims=claims)])


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


@app.get("/visit")
def visit():
    try:
        urllib.request.build_opener(NoRedirect).open(flask.request.args["url"], b"sub=anna", timeout=10)
    except urllib.error.HTTPError as redirect:
        redirect, _, form = redirect.headers["Location"].partition("?")
        return {"redirect": redirect, "form": form}
    return {}


@app.get("/control")
def control():
    flask.g.oidc_provider_mock_storage.jwk = jose.RSAKey.generate_key(is_private=True)
    return {}


server = werkzeug.serving.make_server("127.0.0.1", 0, app, threaded=True)
issuer = f"http://127.0.0.1:{server.server_port}"
print(json.dumps({"port": server.server_port, "issuer": issuer}), flush=True)
server.serve_forever()
