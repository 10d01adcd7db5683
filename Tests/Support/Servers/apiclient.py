"""A client that knows nothing of Campanile but the two documents that a server serves.

Usage: apiclient.py http://HOST:PORT. It registers an account, tracks a session, and receives its positions as a guest, as JSON and as a
binary frame, and a chat message. Each request, result and publication is checked against its schema in the documents. It says what it
has done in lines of JSON.
"""

import asyncio
import datetime
import json
import sys
import urllib.request
import uuid

import jsonschema
import websockets

SECONDS_MAX = 20


def say(event, **members):
    print(json.dumps({"event": event} | members), flush=True)


class Description:
    """The two documents, and checks against them."""

    def __init__(self, base):
        self.rpc = self.load(f"{base}/api/openrpc.json")
        self.socket = self.load(f"{base}/api/asyncapi.json")
        self.methods = {method["name"]: method for method in self.rpc["methods"]}
        server = self.socket["servers"]["campanile"]
        self.address = base.replace("http", "ws", 1) + server["pathname"]
        channel = self.socket["channels"]["socket"]
        headers = channel["bindings"]["ws"]["headers"]["properties"]
        self.subprotocol = headers["Sec-WebSocket-Protocol"]["const"]
        self.first = channel["x-first-request"]

    @staticmethod
    def load(address):
        with urllib.request.urlopen(address, timeout=SECONDS_MAX) as answer:
            assert answer.headers["Access-Control-Allow-Origin"] == "*"
            return json.load(answer)

    @staticmethod
    def check(value, schema, document):
        resolver = jsonschema.RefResolver("", document)
        jsonschema.Draft7Validator(schema, resolver=resolver).validate(value)

    def check_params(self, method, params):
        known = {param["name"]: param for param in self.methods[method]["params"]}
        assert set(params) <= set(known), f"{method} has no {set(params) - set(known)}"
        missing = [name for name, param in known.items() if param["required"] and name not in params]
        assert not missing, f"{method} needs {missing}"
        for name, value in params.items():
            self.check(value, known[name]["schema"], self.rpc)

    def check_result(self, method, result):
        self.check(result, self.methods[method]["result"]["schema"], self.rpc)

    def check_error(self, method, error):
        allowed = [self.rpc["components"]["errors"][ref["$ref"].split("/")[-1]] for ref in self.methods[method]["errors"]]
        assert error["code"] in [known["code"] for known in allowed], f"{method} does not declare {error}"

    def check_push(self, kind, message):
        name = next(iter(self.socket["channels"][kind]["messages"]))
        self.check(message, self.socket["components"]["messages"][name]["payload"], self.socket)

    def first_bytes(self, name):
        return bytes(self.socket["components"]["messages"][name]["x-first-bytes"])


class Client:
    """One connection."""

    def __init__(self, description):
        self.description = description
        self.replies = {}
        self.pushes = asyncio.Queue()
        self.frames = asyncio.Queue()
        self.last = 0

    async def connect(self, **params):
        self.connection = await websockets.connect(
            self.description.address, subprotocols=[self.description.subprotocol], max_size=None)
        self.reader = asyncio.create_task(self.read())
        return await self.call(self.description.first, **params)

    async def read(self):
        async for message in self.connection:
            if isinstance(message, bytes):
                self.frames.put_nowait(message)
                continue
            content = json.loads(message)
            if "method" in content:
                self.pushes.put_nowait(content)
            else:
                self.replies.pop(content["id"]).set_result(content)

    async def call(self, method, **params):
        self.description.check_params(method, params)
        self.last += 1
        reply = self.replies[self.last] = asyncio.get_running_loop().create_future()
        request = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}
        await self.connection.send(json.dumps(request))
        content = await asyncio.wait_for(reply, SECONDS_MAX)
        if "error" in content:
            self.description.check_error(method, content["error"])
            raise RuntimeError(f"{method}: {content['error']}")
        self.description.check_result(method, content["result"])
        return content["result"]

    async def subscribe(self, kind, **parameters):
        """Subscribes to a topic of a kind, as its channel says."""
        channel = self.description.socket["channels"][kind]
        topic = channel["address"].format(**parameters)
        reply = await self.call(channel["x-subscribe"]["method"], topic=topic)
        self.description.check(reply, channel["x-subscribe"]["result"], self.description.socket)
        return topic, reply

    async def push(self, kind, topics, wanted):
        """Waits for a publication on one of the topics for which `wanted` holds."""
        while True:
            message = await asyncio.wait_for(self.pushes.get(), SECONDS_MAX)
            if message["params"]["topic"] not in topics:
                continue
            self.description.check_push(kind, message)
            if wanted(message["params"]["data"]):
                return message["params"]["data"]


def time(seconds_ago):
    moment = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=seconds_ago)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


async def place(client, campus):
    """A position in a zone in which nobody lives, and the zone's number."""
    bounds = campus["bounds"]
    for row in range(1, 20):
        for column in range(1, 20):
            lat = bounds["south"] + (bounds["north"] - bounds["south"]) * row / 20
            lon = bounds["west"] + (bounds["east"] - bounds["west"]) * column / 20
            zone = (await client.call("campus.locate", lat=lat, lon=lon)).get("zone")
            if zone and not zone.get("residence"):
                return lat, lon, zone["id"]
    raise RuntimeError("the campus has no zone")


async def track(client, lat, lon):
    started = await client.call(
        "tracking.start", activity="run", clientId=str(uuid.uuid4()), audience="public", startedAt=time(30))
    session = started["session"]["id"]
    points = [
        {"seq": number, "lat": lat, "lon": lon + number * 2e-5, "time": time(11 - number), "accuracy": 4.0}
        for number in range(1, 6)
    ]
    stored = await client.call("tracking.points", session=session, points=points)
    say("tracked", stored=stored["stored"])
    return session


async def receive_positions(guest, session, zone, campus):
    topic, reply = await guest.subscribe("zonePositions", id=zone)
    runners = reply["snapshot"]["runners"]
    while not any(runner["session"] == session for runner in runners):
        runners = (await guest.push("zonePositions", {topic}, lambda data: data["type"] == "positions"))["runners"]
    say("positions", kind="zonePositions")
    bounds = campus["bounds"]
    box = [bounds["south"], bounds["west"], bounds["north"], bounds["east"]]
    view = await guest.call("positions.view", box=box, zoom=17, encoding="json")
    await guest.push("cellPositions", set(view["topics"]), lambda data: data.get("runners"))
    say("positions", kind="cellPositions")
    await guest.call("positions.view")
    await guest.call("positions.view", box=box, zoom=17, encoding="binary")
    frame = await asyncio.wait_for(guest.frames.get(), SECONDS_MAX)
    assert frame.startswith(guest.description.first_bytes("positionFrame"))
    say("frame", bytes=len(frame))


async def receive_message(client, token, description):
    group = (await client.call("group.create", id=str(uuid.uuid4()), name="Early runners"))["conversation"]
    topic, _ = await client.subscribe("chat", id=group)
    second = Client(description)
    await second.connect(token=token)
    await second.call("chat.send", conversation=group, id=str(uuid.uuid4()), text="Meet at seven?")
    event = await client.push("chat", {topic}, lambda data: data["type"] == "message")
    say("message", text=event["text"])


async def main():
    description = Description(sys.argv[1].rstrip("/"))
    say("read", methods=len(description.methods), channels=len(description.socket["channels"]))
    client = Client(description)
    campus = (await client.connect())["campus"]
    name = "r" + uuid.uuid4().hex[:12]
    account = await client.call(
        "account.register", username=name, email=f"{name}@example.org", password="Longer8pass")
    say("registered", username=account["account"]["username"])
    lat, lon, zone = await place(client, campus)
    session = await track(client, lat, lon)
    guest = Client(description)
    await guest.connect()
    await receive_positions(guest, session, zone, campus)
    await receive_message(client, account["token"], description)
    say("done")


asyncio.run(main())
