import "../navigator.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { AccountSettings } from "../../../Sources/WebApp/connection/accountsettings.js";
import { FakeScheduler, settled } from "../client/fakes.js";

/** The server's settings of an account, and the devices that follow them. */
class FakeServer {
  settings = { theme: "system", units: "auto", audience: "private", location: true, tutorial: "new",
    versions: { theme: 0, units: 0, audience: 0, location: 0, tutorial: 0 } };
  devices = [];
  bases = [];
  save({ base, ...changes }) {
    this.bases.push(base);
    for (const [name, value] of Object.entries(changes)) {
      if (this.settings[name] === value) continue;
      this.settings = { ...this.settings, [name]: value, versions: { ...this.settings.versions, [name]: this.settings.versions[name] + 1 } };
    }
    for (const device of this.devices) device.on?.push({ type: "settings" });
    return this.settings;
  }
}

class FakeNet extends EventTarget {
  account = { id: 7 };
  state = "live";
  asked = [];
  failure = null;
  constructor(server) {
    super();
    this.server = server;
    server.devices.push(this);
  }
  async request(method, params) {
    this.asked.push([method, params]);
    await this.holding;
    if (this.state !== "live" || this.failure) throw this.failure ?? Object.assign(new Error("offline"), { isTransient: true });
    return method === "account.settings" ? this.server.settings : this.server.save(params);
  }
  subscribe(topic, on) {
    assert.equal(topic, `user/${this.account.id}`);
    this.on = on;
    return { close: () => { this.on = null; } };
  }
  become(account) {
    this.account = account;
    this.dispatchEvent(new Event("account"));
  }
  goLive() {
    this.state = "live";
    this.on.snapshot();
  }
}

let server;
beforeEach(() => { server = new FakeServer(); });

function device() {
  const stored = new Map();
  const storage = /** @type {any} */ ({
    getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value), removeItem: (key) => stored.delete(key),
  });
  const net = new FakeNet(server);
  const applied = [];
  const scheduler = new FakeScheduler();
  const make = () => new AccountSettings(net, { storage, scheduler, apply: (name, value) => applied.push([name, value]) });
  return { net, applied, make, scheduler, settings: make(), stored };
}

test("a choice on one device is applied on the others at once", async () => {
  const [phone, tablet] = [device(), device()];
  await phone.settings.choose("theme", "dark");
  await settled();
  assert.equal(tablet.settings.value("theme"), "dark");
  assert.deepEqual([phone.applied, tablet.applied], [[["theme", "dark"]], [["theme", "dark"]]]);
  assert.equal(phone.settings.state("theme"), "");
});

test("without a connection a choice holds here, says that it waits, and is sent by the next page", async () => {
  const phone = device();
  phone.net.state = "offline";
  await phone.settings.choose("units", "kmh");
  assert.deepEqual([phone.settings.value("units"), phone.settings.state("units")], ["kmh", "waiting"]);
  const later = phone.make();
  assert.equal(later.value("units"), "kmh");
  phone.net.goLive();
  await settled();
  assert.equal(server.settings.units, "kmh");
  assert.equal(later.state("units"), "");
});

test("an answer that is older than what is known changes nothing", async () => {
  const phone = device();
  await phone.settings.choose("theme", "dark");
  const old = server.settings;
  await phone.settings.choose("theme", "light");
  server.settings = old;
  phone.net.on.push({ type: "settings" });
  await settled();
  assert.equal(phone.settings.value("theme"), "light");
});

test("a refused choice says why, and the server's value is back", async () => {
  const phone = device();
  await phone.settings.choose("audience", "campus");
  phone.net.failure = new Error("no");
  const refused = phone.settings.choose("audience", "public");
  await refused;
  assert.deepEqual([phone.settings.state("audience"), phone.settings.problem("audience")], ["bad", "no"]);
});

test("a guest's choice stays in the browser, and nothing of an account stays after it", async () => {
  const phone = device();
  await phone.settings.choose("theme", "dark");
  await phone.settings.choose("location", false);
  phone.net.become(null);
  assert.deepEqual([phone.settings.value("theme"), phone.settings.value("location")], ["system", true]);
  assert.deepEqual(phone.applied.slice(-2), [["theme", "system"], ["location", true]]);
  const asked = phone.net.asked.length;
  await phone.settings.choose("theme", "light");
  assert.equal(phone.net.asked.length, asked);
  assert.equal(phone.settings.state("theme"), "");
});

test("after a failure that passes, on a live connection, a choice is sent again", async () => {
  const phone = device();
  phone.net.failure = Object.assign(new Error("busy"), { isTransient: true, data: { retryAfter: 5 } });
  await phone.settings.choose("location", false);
  assert.equal(phone.settings.state("location"), "saving");
  phone.net.failure = Object.assign(new Error("busy"), { isTransient: true });
  await phone.scheduler.pass(5_000);
  phone.net.failure = null;
  assert.equal(server.settings.location, true);
  await phone.scheduler.pass(2_000);
  assert.deepEqual([server.settings.location, phone.settings.state("location")], [false, ""]);
  assert.equal(phone.scheduler.timers, 0);
});

test("nothing of an account carries over to another that follows without a guest between them", async () => {
  const phone = device();
  await phone.settings.choose("theme", "dark");
  await phone.settings.choose("audience", "public");
  await phone.settings.choose("location", false);
  server.settings = { theme: "system", units: "auto", audience: "private", location: true, tutorial: "new",
    versions: { theme: 0, units: 0, audience: 0, location: 0, tutorial: 0 } };
  phone.net.become({ id: 8 });
  phone.net.on.snapshot();
  await settled();
  assert.deepEqual(["theme", "audience", "location"].map((name) => phone.settings.value(name)), ["system", "private", true]);
});

test("a choice carries the version that the person knew, and one made meanwhile follows its own predecessor", async () => {
  const phone = device();
  await phone.settings.choose("location", false);
  phone.net.state = "offline";
  await phone.settings.choose("location", true);
  server.save({ location: true });
  server.save({ location: false });
  phone.net.goLive();
  await settled();
  assert.equal(server.bases.at(-1).location, 1);
  const before = server.bases.length;
  let release;
  phone.net.holding = new Promise((resolve) => { release = resolve; });
  const first = phone.settings.choose("audience", "campus");
  phone.settings.choose("audience", "public");
  release();
  await first;
  assert.deepEqual(server.bases.slice(before).map(({ audience }) => audience), [0, 1]);
  assert.equal(server.settings.audience, "public");
});

test("whether the tutorial was seen is known once the server has answered, and then without a network, too", async () => {
  const [phone, tablet] = [device(), device()];
  assert.ok(!phone.settings.isKnown("tutorial"));
  for (const { net } of [phone, tablet]) net.goLive();
  await settled();
  assert.deepEqual([phone.settings.isKnown("tutorial"), phone.settings.value("tutorial")], [true, "new"]);
  await phone.settings.choose("tutorial", "seen");
  await settled();
  assert.equal(tablet.settings.value("tutorial"), "seen");
  phone.net.state = "offline";
  const again = phone.make();
  assert.deepEqual([again.isKnown("tutorial"), again.value("tutorial")], [true, "seen"]);
  phone.net.become({ id: 8 });
  assert.deepEqual([again.isKnown("tutorial"), again.value("tutorial")], [false, "new"]);
});

test("a server of an earlier release, which does not know a setting, leaves it unknown", async () => {
  const phone = device();
  const { tutorial: _value, versions: { tutorial: _version, ...versions }, ...settings } = server.settings;
  server.settings = { ...settings, versions };
  phone.net.goLive();
  await settled();
  assert.ok(phone.settings.isKnown("theme"));
  assert.deepEqual([phone.settings.isKnown("tutorial"), phone.settings.value("tutorial")], [false, "new"]);
});
