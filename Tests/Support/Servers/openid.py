"""A provider of OpenID Connect for tests, which misbehaves on demand. Signs with PyJWT, which is not ours. Prints its port and an Apple
key, then a line of JSON for each request.

The first part of the path is the case: http://127.0.0.1:PORT/CASE is an issuer. A case that is not in this file behaves.
/CASE/authorize signs in a person at once: the one of its parameter `person`, or of /control. With `Accept: application/json` it answers
with the callback instead of a redirect.
"""

import base64
import hashlib
import hmac
import http.server
import json
import threading
import time
import urllib.parse
from html import escape
from secrets import token_urlsafe

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

CLIENT = "campanile"
SECRET = "s3cret&+/ %"
lock = threading.Lock()
codes = {}
tokens = {}
people = {"default": {"sub": "1", "email": "anna@example.org", "email_verified": True, "preferred_username": "anna"}}
down = set()
# Cases whose token endpoint and keys take 2 s.
slow = set()
apple_key = ec.generate_private_key(ec.SECP256R1())


def say(**what):
    with lock:
        print(json.dumps(what), flush=True)


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def make(kind):
    return rsa.generate_private_key(65537, 2048) if kind == "RSA" else ec.generate_private_key(ec.SECP256R1())


# Made once: a key takes a tenth of a second.
rsa_keys = [make("RSA") for _ in range(3)]
ec_key = make("EC")
current = {}


def jwk(key, kid=None, **more):
    algorithm = jwt.algorithms.RSAAlgorithm if isinstance(key, rsa.RSAPrivateKey) else jwt.algorithms.ECAlgorithm
    members = json.loads(algorithm.to_jwk(key.public_key()))
    members.pop("key_ops", None)
    return {**members, **({"kid": kid} if kid else {}), "use": "sig", **more}


def signing_key(case):
    return ec_key if case == "es256" else rsa_keys[current.get(case, 0)]


def keys_of(case):
    number = current.get(case, 0)
    keys = [jwk(signing_key(case), f"key-{number}")]
    if case in ("kid-absent-single", "kid-absent-multi"):
        keys[0].pop("kid")
    if case == "kid-absent-multi":
        keys.append(jwk(rsa_keys[1]))
    if case == "normal":
        # What must be ignored: a key for encryption, one of an unknown kind, and a weak one.
        keys = [jwk(rsa_keys[2], "key-0", use="enc"), {"kty": "OKP", "crv": "Ed25519", "x": "AA", "kid": "key-0"}, "no key"][:2] + keys
    return {"keys": keys}


def metadata(case, issuer):
    algorithm = {"es256": "ES256", "ps256": "PS256"}.get(case, "RS256")
    methods = ["client_secret_post"] if case in ("post", "apple") else ["client_secret_basic"]
    if case == "both":
        methods = ["client_secret_basic", "client_secret_post"]
    document = {
        "issuer": issuer,
        "authorization_endpoint": issuer + "/authorize",
        "token_endpoint": issuer + "/token",
        "userinfo_endpoint": issuer + "/userinfo",
        "jwks_uri": issuer + "/keys",
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": [algorithm, "none", "HS256"],
        "token_endpoint_auth_methods_supported": methods,
        "code_challenge_methods_supported": ["S256"],
    }
    if case == "meta-issuer":
        document["issuer"] = issuer + "/"
    if case == "meta-plain":
        document["token_endpoint"] = "http://provider.example/token"
    if case.startswith("iss-"):
        document["authorization_response_iss_parameter_supported"] = True
    return document


def claims_of(case, issuer, grant):
    now = int(time.time())
    claims = {
        "iss": issuer, "aud": CLIENT, "exp": now + 300, "iat": now, "nonce": grant["nonce"], **grant["person"],
    }
    if case in ("userinfo", "bad-userinfo-sub", "no-userinfo"):
        for name in ("email", "email_verified", "preferred_username"):
            claims.pop(name, None)
    changes = {
        "nonce-invalid": {"nonce": "another"}, "no-nonce": {"nonce": None}, "aud": {"aud": "another"},
        "aud-many": {"aud": [CLIENT, "another"], "azp": CLIENT}, "aud-list": {"aud": [CLIENT]}, "no-aud": {"aud": None},
        "azp": {"azp": "another"}, "azp-own": {"azp": CLIENT}, "issuer": {"iss": "https://evil.example"},
        "no-iat": {"iat": None}, "iat-old": {"iat": now - 3600}, "iat-future": {"iat": now + 3600},
        "expired": {"exp": now - 600}, "no-exp": {"exp": None}, "no-sub": {"sub": None}, "sub-long": {"sub": "x" * 256},
        "sub-number": {"sub": 12}, "at-hash": {"at_hash": encode(b"0" * 16)}, "text-verified": {"email_verified": "true"},
        "apple": {"email_verified": "true"},
    }
    return {name: value for name, value in {**claims, **changes.get(case, {})}.items() if value is not None}


def id_token(case, claims, access):
    if case == "at-hash-right":
        claims["at_hash"] = encode(hashlib.sha256(access.encode()).digest()[:16])
    number = current.get(case, 0)
    headers = {} if case in ("kid-absent-single", "kid-absent-multi") else {"kid": f"key-{number}"}
    if case == "kid-unknown":
        headers["kid"] = "key-9"
    if case == "crit":
        headers["crit"] = ["b64"]
    if case == "sig-none":
        return jwt.encode(claims, None, algorithm="none", headers=headers)
    if case == "sig-zero":
        # `none`, and something in the place of a signature.
        return jwt.encode(claims, None, algorithm="none", headers=headers) + "AAAA"
    if case in ("hs256", "hs256-secret"):
        # The published key as a shared secret, and the client's.
        public = rsa_keys[0].public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        head = encode(json.dumps({"alg": "HS256", "typ": "JWT", "kid": "key-0"}).encode())
        body = head + "." + encode(json.dumps(claims).encode())
        secret = public if case == "hs256" else SECRET.encode()
        return body + "." + encode(hmac.new(secret, body.encode(), hashlib.sha256).digest())
    if case == "bad-sig":
        return jwt.encode(claims, rsa_keys[1], algorithm="RS256", headers=headers)
    algorithm = {"es256": "ES256", "ps256": "PS256"}.get(case, "RS256")
    token = jwt.encode(claims, signing_key(case), algorithm=algorithm, headers=headers)
    if case == "sig-cut":
        token = token[: token.rindex(".") + 1]
    return token


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body, kind="application/json", **headers):
        data = (json.dumps(body) if not isinstance(body, str) else body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        if url.path == "/control":
            return self.control(query)
        case, _, rest = url.path[1:].partition("/")
        issuer = f"http://127.0.0.1:{port}/{case}"
        if case in down:
            return self.answer(503, {})
        if rest == ".well-known/openid-configuration":
            say(event="discovery", case=case)
            if case == "meta-html":
                return self.answer(200, "<p>hello", "text/html")
            if case == "meta-moved":
                return self.answer(302, {}, Location=f"http://127.0.0.1:{port}/normal/{rest}")
            if case == "meta-long":
                return self.answer(200, {**metadata(case, issuer), "more": "x" * 100000})
            return self.answer(200, metadata(case, issuer))
        if rest == "keys":
            say(event="keys", case=case)
            if case in slow:
                time.sleep(2)
            return self.answer(200, keys_of(case))
        if rest == "authorize":
            return self.authorize(case, issuer, query)
        if rest == "userinfo":
            return self.userinfo(case)
        self.answer(404, {})

    def control(self, query):
        if "person" in query:
            people["default"] = json.loads(query["person"])
        if "rotate" in query:
            current[query["rotate"]] = current.get(query["rotate"], 0) + 1
        if "down" in query:
            down.add(query["down"])
        if "up" in query:
            down.discard(query["up"])
        if "slow" in query:
            slow.add(query["slow"])
        self.answer(200, {})

    def authorize(self, case, issuer, query):
        code = token_urlsafe(16)
        person = json.loads(query["person"]) if "person" in query else people["default"]
        with lock:
            codes[code] = {
                "redirect": query["redirect_uri"], "nonce": query.get("nonce"), "person": person, "case": case,
                "challenge": query.get("code_challenge"), "method": query.get("code_challenge_method"),
            }
        say(event="authorize", case=case, query=query)
        fields = {"code": code, "state": query["state"]}
        if case == "denied":
            fields = {"error": "access_denied", "error_description": "<b>no</b>", "state": query["state"]}
        if case == "error":
            fields = {"error": "invalid_scope", "state": query["state"]}
        if case == "no-code":
            fields = {"state": query["state"]}
        if case.startswith("iss-") and case != "iss-missing":
            fields["iss"] = issuer if case == "iss-right" else "https://evil.example"
        if case == "apple":
            fields["user"] = json.dumps({"name": {"firstName": "Berta", "lastName": "Apple"}, "email": person.get("email")})
        redirect = query["redirect_uri"]
        if self.headers.get("Accept") == "application/json":
            return self.answer(200, {"redirect": redirect, "form": urllib.parse.urlencode(fields)})
        if query.get("response_mode") == "form_post":
            inputs = "".join(f'<input type="hidden" name="{escape(n)}" value="{escape(v)}">' for n, v in fields.items())
            page = f'<form method="post" action="{escape(redirect)}">{inputs}</form><script>document.forms[0].submit()</script>'
            return self.answer(200, "<!doctype html><title>Provider</title>" + page, "text/html")
        self.answer(303, {}, Location=redirect + "?" + urllib.parse.urlencode(fields))

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        case = self.path[1:].partition("/")[0]
        issuer = f"http://127.0.0.1:{port}/{case}"
        form = dict(urllib.parse.parse_qsl(body))
        problem, way = self.client_problem(case, form)
        grant = codes.pop(form.get("code"), None)
        if not problem and (not grant or grant["case"] != case or grant["redirect"] != form.get("redirect_uri")):
            problem = "invalid_grant"
        if not problem:
            digest = encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
            if grant["method"] != "S256" or digest != grant["challenge"]:
                problem = "invalid_grant"
        say(event="token", case=case, way=way, problem=problem or "")
        if case in slow:
            time.sleep(2)
        if case == "token-down":
            return self.answer(503, {})
        if problem:
            return self.answer(400, {"error": problem, "error_description": "<script>alert(1)</script>"})
        if case == "token-moved":
            return self.answer(307, {}, Location=f"http://127.0.0.1:{port}/normal/token")
        access = token_urlsafe(16)
        tokens[access] = grant["person"]
        answer = {"access_token": access, "token_type": "Bearer", "expires_in": 300}
        answer["id_token"] = id_token(case, claims_of(case, issuer, grant), access)
        if case == "no-id-token":
            answer.pop("id_token")
        if case == "token-type":
            answer["token_type"] = "mac"
        if case == "token-long":
            answer["more"] = "x" * 100000
        self.answer(200, answer)

    def client_problem(self, case, form):
        """What is wrong with the client's authentication, and its way."""
        scheme, _, value = self.headers.get("Authorization", "").partition(" ")
        if case == "apple":
            try:
                claims = jwt.decode(
                    form["client_secret"], apple_key.public_key(), algorithms=["ES256"],
                    audience="https://appleid.apple.com", issuer="TEAM123456",
                )
                head = jwt.get_unverified_header(form["client_secret"])
                fine = claims["sub"] == CLIENT and head["kid"] == "KEY1234567" and claims["exp"] - claims["iat"] <= 15777000
                return (None if fine else "invalid_client"), "apple"
            except Exception:
                return "invalid_client", "apple"
        if scheme == "Basic" and case != "post":
            given = base64.b64decode(value).decode().split(":")
            fine = [urllib.parse.unquote_plus(part) for part in given] == [CLIENT, SECRET]
            return (None if fine else "invalid_client"), "basic"
        fine = (form.get("client_id"), form.get("client_secret")) == (CLIENT, SECRET)
        return (None if fine else "invalid_client"), "post"

    def userinfo(self, case):
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        person = tokens.get(token)
        say(event="userinfo", case=case, scheme=scheme, known=person is not None)
        if scheme != "Bearer" or person is None:
            return self.answer(401, {"error": "invalid_token"})
        if case == "no-userinfo":
            return self.answer(500, {})
        self.answer(200, {**person, **({"sub": "another"} if case == "bad-userinfo-sub" else {})})

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
# A client that hangs up in the middle of a long answer is part of the tests.
server.handle_error = lambda *_: None
port = server.server_address[1]
pem = apple_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
say(port=port, appleKey=pem)
server.serve_forever()
