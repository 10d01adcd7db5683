"""Visits to pages of the web app in headless Chromium, and slow lines to a server: for deploy/first-load and BudgetTests.swift.

    python3 deploy/visits.py FIGURE URL [PATH]    measures one of the figures below on a page, /map by default, and prints it as JSON

    bytes    bytes over the wire in both directions, the WebSocket and the worker's copies included: of the first visit of a new profile,
             until the service worker is active, and of the next visit of the same profile
    edge     milliseconds from the start of the first visit behind a slow line until the marks of WATCH are on the screen
    heap     bytes of the heap of JavaScript after 20 s, and its smallest growth in three intervals: a leak grows in each
    task     milliseconds of the longest task of a first visit, with the processor slowed four times
    silence  seconds after which the page knows that its connection is lost, when nothing comes or goes any more and nothing is closed
"""

import asyncio
import collections
import json
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

BROWSER = "/usr/lib/chromium/chromium-headless-shell"
EDGE_BITS_PER_SECOND = 240_000
EDGE_SECONDS_THERE_AND_BACK = 0.84
PACKET_BYTES = 1_460
VISIT_SECONDS_MAX = 90
QUIET_SECONDS = 1.5
HEAP_SECONDS = 5
HEAP_SAMPLES = 4
PROCESSOR_SLOWDOWN = 4

# Runs in the page before anything else.
WATCH = """
(() => {
  const seen = window.firstSeen = {};
  const marks = {
    shell: () => document.querySelector("#tabs a, .skeleton"),
    page: () => document.querySelector("#view h1"),
    runner: () => document.querySelector(".runner-row[data-session]"),
    map: () => document.querySelector("#map.leaflet-container"),
  };
  const look = () => {
    for (const [name, isThere] of Object.entries(marks)) {
      // A paint later: the frame in which it was found has it.
      if (name in seen || !isThere()) continue;
      seen[name] = null;
      requestAnimationFrame(() => setTimeout(() => { seen[name] = performance.now(); }));
    }
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true });
  const tasks = window.longTasks = [];
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
})();
"""


class Line:
    """One direction of a wire: packets one behind another, each late by the time it takes to the other end."""

    def __init__(self, wire):
        self.wire = wire
        self.free_at = 0.0
        self.bytes = 0

    async def carry(self, reader, writer):
        loop = asyncio.get_running_loop()
        waiting = collections.deque()
        arrived = asyncio.Event()

        async def deliver():
            while True:
                while not waiting:
                    arrived.clear()
                    await arrived.wait()
                at, data = waiting.popleft()
                await asyncio.sleep(max(0, at - loop.time()))
                if not data:
                    break
                writer.write(data)
                await writer.drain()
            writer.close()

        delivery = asyncio.create_task(deliver())
        try:
            while data := await reader.read(PACKET_BYTES):
                if self.wire.is_silent:
                    continue
                self.bytes += len(data)
                self.free_at = max(loop.time(), self.free_at) + self.wire.seconds(data)
                sent = self.free_at
                waiting.append((sent + self.wire.delay / 2, data))
                arrived.set()
                await asyncio.sleep(max(0, sent - loop.time()))
        except ConnectionError:
            pass
        waiting.append((loop.time() + self.wire.delay / 2, b""))
        arrived.set()
        try:
            await delivery
        except ConnectionError:
            pass


class Wire:
    """A way to a server through a port of its own, which counts the bytes in each direction."""

    def __init__(self, url, is_slow):
        server = urllib.parse.urlsplit(url)
        self.host, self.server_port = server.hostname, server.port or 80
        self.is_slow = is_slow
        self.delay = EDGE_SECONDS_THERE_AND_BACK if is_slow else 0
        # Drops whatever comes, without an end: as a network does that is lost.
        self.is_silent = False
        self.up, self.down = Line(self), Line(self)
        ready = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self.serve(ready)), daemon=True).start()
        ready.wait()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def bytes(self):
        return self.up.bytes + self.down.bytes

    def seconds(self, data):
        return len(data) * 8 / EDGE_BITS_PER_SECOND if self.is_slow else 0

    async def serve(self, ready):
        server = await asyncio.start_server(self.accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        await server.serve_forever()

    async def accept(self, reader, writer):
        await asyncio.sleep(self.delay)
        try:
            server_reader, server_writer = await asyncio.open_connection(self.host, self.server_port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(self.up.carry(reader, server_writer), self.down.carry(server_reader, writer))


class Driver:
    """chromedriver, which opens the browsers."""

    def __init__(self):
        self.process = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if "started successfully on port" in line:
                self.port = int(line.rstrip(".\n").split()[-1])
                return
        sys.exit("visits: chromedriver did not start")

    def send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=VISIT_SECONDS_MAX) as reply:
            return json.load(reply)["value"]

    def close(self):
        self.process.kill()
        self.process.wait()


class Visit:
    """A browser with a new profile."""

    def __init__(self, driver, trace_categories=""):
        self.driver = driver
        self.profile = tempfile.TemporaryDirectory(prefix="campanile-first-load-")
        options = {
            "binary": BROWSER,
            "args": ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=390,844", "--enable-precise-memory-info",
                     f"--user-data-dir={self.profile.name}", "--no-first-run"],
        }
        if trace_categories:
            options["perfLoggingPrefs"] = {"traceCategories": trace_categories}
        value = driver.send("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome-headless-shell", "goog:chromeOptions": options, "pageLoadStrategy": "none",
            "goog:loggingPrefs": {"performance": "ALL"}}}})
        self.path = f"/session/{value['sessionId']}"
        self.command("Network.enable")
        self.command("Page.addScriptToEvaluateOnNewDocument", source=WATCH)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def command(self, name, **parameters):
        return self.driver.send("POST", f"{self.path}/goog/cdp/execute", {"cmd": name, "params": parameters})

    def open(self, url):
        self.driver.send("POST", f"{self.path}/url", {"url": url})

    def evaluate(self, script):
        return self.driver.send("POST", f"{self.path}/execute/sync", {"script": script, "args": []})

    def wait(self, script):
        """What the function's body returns, once that is true; None when it never is."""
        deadline = time.monotonic() + VISIT_SECONDS_MAX
        while time.monotonic() < deadline:
            try:
                if found := self.evaluate(script):
                    return found
            except urllib.error.HTTPError:
                # The document was replaced while the script ran: `open` does not wait for the new one.
                pass
            time.sleep(0.1)
        return None

    def seen(self, names):
        """When which of the marks was on the screen, once all are, or the time is over."""
        all_seen = f"const seen = window.firstSeen; return {json.dumps(names)}.every((name) => seen?.[name]) && {{ ...seen }}"
        found = self.wait(all_seen) or self.evaluate("return { ...window.firstSeen }")
        return {name: found.get(name) for name in names}

    def messages(self):
        """The browser's messages about the network since the last call."""
        entries = self.driver.send("POST", f"{self.path}/se/log", {"type": "performance"})
        return [json.loads(entry["message"])["message"] for entry in entries]

    def heap(self):
        self.command("HeapProfiler.collectGarbage")
        return self.command("Runtime.getHeapUsage")["usedSize"]

    def close(self):
        self.driver.send("DELETE", self.path)
        self.profile.cleanup()


def until_quiet(wire):
    """Waits until no request is answered any more: what a live page goes on receiving is little."""
    before = None
    while before is None or wire.bytes - before > PACKET_BYTES:
        before = wire.bytes
        time.sleep(QUIET_SECONDS)


def measure_bytes(driver, url, path):
    wire = Wire(url, is_slow=False)
    with Visit(driver) as visit:
        visit.open(wire.url + path)
        visit.seen(["page", "runner", "map"])
        visit.wait("return navigator.serviceWorker.getRegistration().then((one) => one?.active?.state === 'activated')")
        until_quiet(wire)
        found = {"first": wire.bytes, "first down": wire.down.bytes}
        visit.open("about:blank")
        before, down_before = wire.bytes, wire.down.bytes
        visit.open(wire.url + path)
        visit.seen(["page", "runner", "map"])
        until_quiet(wire)
        return {**found, "later": wire.bytes - before, "later down": wire.down.bytes - down_before}


def measure_edge(driver, url, path):
    wire = Wire(url, is_slow=True)
    with Visit(driver) as visit:
        visit.open(wire.url + path)
        return visit.seen(["shell", "page", "runner", "map"])


def measure_heap(driver, url, path):
    with Visit(driver) as visit:
        visit.open(url + path)
        visit.seen(["runner", "map"])
        heaps = []
        for _ in range(HEAP_SAMPLES):
            time.sleep(HEAP_SECONDS)
            heaps.append(visit.heap())
        growth = min(later - earlier for earlier, later in zip(heaps, heaps[1:]))
        return {"bytes": heaps[-1], "growth": growth, "interval": HEAP_SECONDS, "seconds": HEAP_SAMPLES * HEAP_SECONDS}


def measure_task(driver, url, path):
    # Time of the thread and not of the clock: others that want the processor do not count.
    with Visit(driver, trace_categories="toplevel") as visit:
        visit.command("Emulation.setCPUThrottlingRate", rate=PROCESSOR_SLOWDOWN)
        visit.open(url + path)
        visit.seen(["runner", "map"])
        time.sleep(QUIET_SECONDS)
        clock = max(visit.evaluate("return window.longTasks"), default=0)
        messages = visit.messages()
    events = [message["params"] for message in messages if message["method"] == "Tracing.dataCollected"]
    main_threads = {(one["pid"], one["tid"]) for one in events
                    if one["name"] == "thread_name" and one["args"]["name"] == "CrRendererMain"}
    tasks = [one["tdur"] / 1000 for one in events if "tdur" in one and (one["pid"], one["tid"]) in main_threads]
    return {"milliseconds": max(tasks, default=None), "by the clock": clock}


def measure_silence(driver, url, path):
    wire = Wire(url, is_slow=False)
    with Visit(driver) as visit:
        visit.open(wire.url + path)
        visit.wait("return document.documentElement.dataset.connection === 'live'")
        visit.seen(["runner"])
        wire.is_silent = True
        began = time.monotonic()
        visit.wait("return document.documentElement.dataset.connection !== 'live'")
        return {"seconds": round(time.monotonic() - began, 2)}


def main():
    figures = {"bytes": measure_bytes, "edge": measure_edge, "heap": measure_heap, "task": measure_task, "silence": measure_silence}
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in figures:
        sys.exit(__doc__)
    # Ends the browser as well.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    driver = Driver()
    try:
        path = sys.argv[3] if len(sys.argv) == 4 else "/map"
        print(json.dumps(figures[sys.argv[1]](driver, sys.argv[2].rstrip("/"), path)))
    finally:
        driver.close()


if __name__ == "__main__":
    main()
