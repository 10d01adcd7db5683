"""Runs glewlwyd, a provider of OpenID Connect that is not ours, with a client, a person and a key. Prints the port of this script, then
answers as openid.py does:

/glewlwyd…/authorize   is glewlwyd's own endpoint; /visit?url=… signs the person in there and answers with the callback, as JSON
/control?rotate=…      has glewlwyd sign by another key

usage: glewlwyd.py DIRECTORY
"""

import http.cookiejar
import http.server
import json
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

SCHEMA = "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3"
REDIRECT = "https://campus.example/openid/glewlwyd/callback"
JSON = {"Content-Type": "application/json"}


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def browser():
    return urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()), NoRedirect)


def ask(who, method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    with who.open(urllib.request.Request(f"{api}{path}", data, JSON, method=method), timeout=10) as answer:
        return answer.read()


def plugin():
    key = rsa.generate_private_key(65537, 2048)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    off = ("client", "id-token", "none", "password", "token", "device")
    parameters = {
        "iss": issuer, "jwt-type": "rsa", "jwt-key-size": "256", "key": private, "cert": public, "jwks-show": True, "jwks-x5c": [],
        "access-token-duration": 3600, "refresh-token-duration": 1209600, "code-duration": 600, "refresh-token-rolling": True,
        "auth-type-code-enabled": True, "auth-type-refresh-enabled": True, **{f"auth-type-{name}-enabled": False for name in off},
        "allow-non-oidc": False, "scope": [], "additional-parameters": [], "claims": [], "service-documentation": "",
        "op-policy-uri": "", "op-tos-uri": "", "request-parameter-allow": False, "secret-type": "pairwise",
        "address-claim": {"type": "no"}, "name-claim": "mandatory", "name-claim-scope": [], "email-claim": "mandatory",
        "email-claim-scope": [], "scope-claim": "no", "scope-claim-scope": [], "allowed-scope": ["openid"], "pkce-allowed": True,
        "pkce-method-plain-allowed": False, "pkce-scopes": [], "subject-type": "public",
    }
    return {"module": "oidc", "name": "oidc", "display_name": "OIDC", "parameters": parameters}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(directory):
    database = sqlite3.connect(f"{directory}/glewlwyd.db")
    with open(SCHEMA) as schema:
        database.executescript(schema.read())
    database.close()
    modules = "".join(
        f'{name}_module_path="/usr/lib/glewlwyd/{folder}"\n'
        for name, folder in (("user", "user"), ("client", "client"), ("user_auth_scheme", "scheme"), ("plugin", "plugin"))
    )
    with open(f"{directory}/glewlwyd.conf", "w") as file:
        file.write(
            f'port={inner}\nexternal_url="http://127.0.0.1:{inner}"\nlogin_url="login.html"\napi_prefix="api"\n{modules}'
            'log_mode="file"\nlog_level="WARNING"\n'
            f'log_file="{directory}/glewlwyd.log"\nsession_key="GLEWLWYD2_SESSION_ID"\nlogin_api_enabled=true\n'
            'admin_session_authentication="cookie"\nprofile_session_authentication="cookie"\nadmin_scope="g_admin"\n'
            f'profile_scope="g_profile"\nuse_secure_connection=false\nsecure_connection_key_file="{SCHEMA}"\n'
            f'secure_connection_pem_file="{SCHEMA}"\nhash_algorithm="SHA512"\n'
            f'database = {{ type = "sqlite3" path = "{directory}/glewlwyd.db" }};\n'
        )
    return subprocess.Popen(
        ["glewlwyd", f"--config-file={directory}/glewlwyd.conf"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        preexec_fn=lambda: __import__("ctypes").CDLL(None).prctl(1, signal.SIGKILL),
    )


def wait():
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", inner), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit("glewlwyd does not listen")


inner = free_port()
api = f"http://127.0.0.1:{inner}/api"
issuer = f"{api}/oidc"
program = start(sys.argv[1])
wait()
admin, person = browser(), browser()
ask(admin, "POST", "/auth", {"username": "admin", "password": "password"})
ask(admin, "POST", "/mod/plugin", plugin())
ask(admin, "POST", "/client", {
    "client_id": "campanile", "name": "campanile", "enabled": True, "confidential": True, "password": "s3cret&+/ %",
    "redirect_uri": [REDIRECT], "authorization_type": ["code"], "scope": [],
    "token_endpoint_auth_method": ["client_secret_basic", "client_secret_post"],
})
ask(admin, "POST", "/user", {
    "username": "anna", "name": "Anna Berg", "email": "anna@example.org", "password": "annaspassword", "enabled": True,
    "scope": ["openid"],
})
ask(person, "POST", "/auth", {"username": "anna", "password": "annaspassword"})
ask(person, "PUT", "/auth/grant/campanile", {"scope": "openid"})


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        answer = {}
        if url.path == "/visit":
            try:
                person.open(query["url"] + "&g_continue", timeout=10)
            except urllib.error.HTTPError as redirect:
                redirect, _, form = redirect.headers["Location"].partition("?")
                answer = {"redirect": redirect, "form": form}
        elif "rotate" in query:
            ask(admin, "PUT", "/mod/plugin/oidc", plugin())
            ask(admin, "PUT", "/mod/plugin/oidc/reset/")
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(json.dumps({"port": server.server_address[1], "issuer": issuer}), flush=True)
server.serve_forever()
