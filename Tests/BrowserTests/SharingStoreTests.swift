import TestSupport
import Testing

extension WebSharing {
    @Suite("How the web app keeps what is shared")
    struct SharingStoreTests {
        /// A server of one account that says what it is asked, and whose answers a test sets.
        static let net = #"""
            localStorage.clear();
            class Net extends EventTarget {
              state = "live"; wasLive = true; account = { id: 1, username: "anna" }; asked = []; topics = new Map(); answers = {};
              writes = Object.assign(new EventTarget(), { waiting: [], shown: (_method, _params, reply) => reply, find: () => null });
              clock = { offset: 0, now: () => Date.now(), age: (time) => (Date.now() - Date.parse(time)) / 1000, toServer: (time) => new Date(time).toISOString() };
              async request(method, params = {}) {
                this.asked.push(method);
                if (this.state !== "live") throw Object.assign(new Error("offline"), { code: "offline", isTransient: true });
                const answer = this.answers[method];
                if (answer instanceof Error) throw answer;
                return typeof answer === "function" ? answer(params) : answer ?? {};
              }
              subscribe(topic, handlers) {
                this.topics.set(topic, handlers);
                return { close: () => { if (this.topics.get(topic) === handlers) this.topics.delete(topic); } };
              }
              become(state) { this.state = state; this.dispatchEvent(new Event("state")); }
              use(account) { this.account = account; this.dispatchEvent(new Event("account")); }
            }
            const soon = (ms) => new Date(Date.now() + ms).toISOString();
            const mine = (id, more = {}) => ({ id, audience: "campus", precision: "zone", startedAt: soon(-1000), expiresAt: soon(3_600_000), watching: 0, ...more });
            const theirs = (id, account = 20 + id) => ({ id, person: { account, name: `p${account}`, username: `p${account}` }, audience: "person", precision: "exact", startedAt: soon(-1000), expiresAt: soon(3_600_000) });
            const { Sharing } = await import("/app/sharing/store.js");
            const { People } = await import("/app/sharing/people.js");
            const net = new Net();
            Object.assign(net.answers, { "sharing.mine": () => ({ shares: [mine(2), mine(1)] }), "sharing.withMe": () => ({ shares: [theirs(7), theirs(8)], more: false }), "sharing.requests": () => ({ toMe: [], mine: [] }) });
            const sharing = new Sharing(net);
            net.topics.get("user/1").snapshot();
            await until("loaded", () => sharing.isLoaded && sharing.withMe.length === 2);
            const ids = () => sharing.working.map(({ id }) => id);
            """#

        @Test(
            "What is stopped without a network is stopped here at once, stays so over a reload, and is told before anything else; another account stops nothing of it"
        )
        func stopping() async throws {
            let result = try await Web.logic(
                Self.net + #"""
                    net.become("offline");
                    check("not yet told", [await sharing.stop(1), ids(), sharing.isStopping(1), sharing.isStopping(2), sharing.isStopping()], [false, [2], true, false, true]);
                    const again = new Sharing(net);
                    check("a page that is loaded anew", [again.isStopping(1), again.isStopping(2)], [true, false]);
                    const other = new Net();
                    other.account = { id: 99 };
                    check("another account", new Sharing(other).isStopping(), false);
                    net.answers["sharing.stop"] = ({ share }) => ({ share: mine(share, { endedAt: soon(0), end: "stopped" }), watches: [], watchers: 3 });
                    net.asked = [];
                    let receipt = null;
                    sharing.addEventListener("stopped", ({ detail }) => { receipt = detail; });
                    net.become("live");
                    await until("told", () => !sharing.isStopping());
                    check("first of all", [net.asked[0], receipt.watchers, ids(), localStorage.getItem("campanile.sharesToStop.1")], ["sharing.stop", 3, [2], null]);
                    net.answers["sharing.stop"] = Object.assign(new Error("there is no such share of yours"), { code: 1003, isTransient: false });
                    check("one that is gone is stopped", [await sharing.stop(2), ids()], [true, []]);
                    """#)
            #expect(result == "ok")
        }

        @Test(
            "What another tab stops is stopped here, too, and told once; one that is stopped while another is being told is told next, and both know how it went"
        )
        func tabs() async throws {
            let result = try await Web.logic(
                Self.net + #"""
                    const other = document.body.appendChild(document.createElement("iframe")).contentWindow.localStorage;
                    const key = "campanile.sharesToStop.1", kept = () => JSON.parse(other.getItem(key));
                    net.become("offline");
                    await sharing.stop(2);
                    check("kept", kept(), [2]);
                    other.setItem(key, JSON.stringify([2, 1]));
                    await until("the other tab's, too", () => sharing.isStopping(1) && ids().length === 0);
                    other.setItem("campanile.sharesToStop.99", "[7]");
                    other.setItem(key, JSON.stringify([2]));
                    await until("the other tab was answered", () => !sharing.isStopping(1));
                    check("its share is over, one's own waits", [sharing.shares.map(({ id }) => id), sharing.isStopping(2)], [[2], true]);
                    other.setItem(key, "[]");
                    other.removeItem(key);
                    await until("that too", () => !sharing.isStopping());
                    check("nothing of another account", [sharing.shares, other.getItem("campanile.sharesToStop.99")], [[], "[7]"]);

                    net.become("live");
                    net.topics.get("user/1").push({ type: "share" });
                    await until("both again", () => ids().length === 2);
                    const answers = [], told = [];
                    net.answers["sharing.stop"] = ({ share }) => new Promise((answer) => { told.push(share); answers.push(() => answer({ share: mine(share), watches: [], watchers: 0 })); });
                    const first = sharing.stop(1), second = sharing.stop(2);
                    check("one after the other", [told, kept()], [[1], [1, 2]]);
                    // Another tab wrote meanwhile, and does not know of what this one stops.
                    localStorage.setItem(key, "[1,3]");
                    dispatchEvent(new StorageEvent("storage", { key, oldValue: "[1]", newValue: "[1,3]" }));
                    answers.shift()();
                    for (const id of [2, 3]) {
                      await until(`${id} is told`, () => told.at(-1) === id);
                      answers.shift()();
                    }
                    check("both are done", [await first, await second, told, ids(), other.getItem(key)], [true, true, [1, 2, 3], [], null]);
                    """#)
            #expect(result == "ok")
        }

        @Test(
            "A tab that the browser froze hears late what other tabs stopped and the server has answered: it stops nothing again, and its own stop of all says by when it was asked"
        )
        func frozen() async throws {
            let result = try await Web.logic(
                Self.net + #"""
                    const key = "campanile.sharesToStop.1", loaded = [];
                    const hear = (oldValue, newValue) => dispatchEvent(new StorageEvent("storage", { key, oldValue, newValue }));
                    sharing.addEventListener("loaded", ({ detail }) => loaded.push(detail.askedAt));
                    net.asked = [];
                    hear(null, '["all"]');
                    hear('["all"]', null);
                    check("settled elsewhere long ago", [net.asked, ids(), sharing.isStopping()], [[], [2, 1], false]);

                    net.become("offline");
                    await sharing.stop("all");
                    localStorage.removeItem(key);
                    // What another tab wrote before, and then what settled it: one after the other.
                    hear(null, "[7]");
                    check("nothing of it is kept anew", [localStorage.getItem(key), sharing.isStopping()], [null, true]);
                    hear('[7,"all"]', null);
                    check("settled, and nothing was asked here", [sharing.isStopping(), sharing.shares, loaded], [false, [], []]);

                    net.become("live");
                    net.topics.get("user/1").push({ type: "share" });
                    await until("one began since", () => ids().length === 2);
                    let answer;
                    net.answers["sharing.stopAll"] = () => new Promise((done) => { answer = done; });
                    loaded.length = 0;
                    const stopped = sharing.stop("all"), sent = performance.now();
                    await new Promise((done) => setTimeout(done, 5));
                    answer({ stopped: [2, 1] });
                    check("one's own", [await stopped, loaded.length, loaded[0] <= sent], [true, 1, true]);
                    """#)
            #expect(result == "ok")
        }

        @Test(
            "A share that begins before the first list came is news, one from before the page is not; a late answer to an early question changes nothing; without signals the lists come all the same"
        )
        func news() async throws {
            let result = try await Web.logic(
                Self.net + #"""
                    const heard = (sharing) => { const all = []; sharing.addEventListener("shared", ({ detail }) => all.push(detail.id)); return all; };
                    const late = new Net();
                    late.answers = { ...net.answers, "sharing.withMe": () => ({ shares: [{ ...theirs(7), startedAt: soon(-60_000) }, { ...theirs(9), startedAt: soon(10) }] }) };
                    const begun = new Sharing(late);
                    const news = heard(begun);
                    late.topics.get("user/1").error(Object.assign(new Error("busy"), { isTransient: true, code: "timeout" }));
                    await until("loaded without signals", () => begun.withMe.length === 2);
                    check("only what began since", news, [9]);

                    const waiting = [], told = heard(sharing);
                    net.answers["sharing.withMe"] = () => new Promise((answer) => waiting.push((shares) => answer({ shares })));
                    const both = [sharing.load(), sharing.load()];
                    await until("asked twice", () => waiting.length === 2);
                    waiting[1]([theirs(7), theirs(8), theirs(9)]);
                    await until("new", () => sharing.withMe.length === 3);
                    waiting[0]([theirs(7), theirs(8)]);
                    await Promise.all(both);
                    check("overtaken", [sharing.withMe.length, told], [3, [9]]);
                    """#)
            #expect(result == "ok")
        }

        @Test("How many watch is followed, a closed share goes, and a link whose reply was lost is made anew")
        func own() async throws {
            let result = try await Web.logic(
                Self.net + #"""
                    net.topics.get("share/2").snapshot({});
                    net.topics.get("share/2").push({ type: "watching", watching: 4 });
                    check("watching", sharing.shares.map(({ id, watching }) => [id, watching]), [[2, 4], [1, 0]]);
                    net.topics.get("share/2").push({ type: "location", state: "live", precision: "campus", expiresAt: soon(60_000) });
                    check("changed elsewhere", sharing.shares[0].precision, "campus");
                    net.topics.get("share/2").push({ type: "closed" });
                    check("closed", [ids(), net.topics.has("share/2")], [[1], false]);
                    let begun = 0;
                    net.answers["sharing.start"] = ({ clientId }) => ({ share: mine(10 + begun, { audience: "link" }), clientId, ...(begun++ > 0 && { path: "/l/11.x", token: "11.x" }) });
                    net.answers["sharing.stop"] = ({ share }) => ({ share: mine(share), watches: [], watchers: 0 });
                    const link = await sharing.start({ clientId: "a", audience: "link", precision: "zone", expiresIn: 600 });
                    check("a link", [link.path, link.clientId !== "a", net.asked.filter((method) => method.startsWith("sharing.st")), ids()], ["/l/11.x", true, ["sharing.start", "sharing.stop", "sharing.start"], [11, 1]]);
                    net.answers["sharing.mine"] = () => ({ shares: [mine(12, { expiresAt: soon(300) })] });
                    net.topics.get("user/1").push({ type: "share" });
                    await until("loaded anew", () => ids().join() === "12");
                    await until("over by this clock, though nobody says so", () => ids().length === 0);
                    """#)
            #expect(result == "ok")
        }

        @Test(
            "What was begun and not answered is the same share when it is wished for again, as exactly and as long as it is wished for then; one that is over meanwhile is begun anew"
        )
        func lostReply() async throws {
            let result = try await Web.logic(
                Self.net + #"""
                    const { makeStarting } = await import("/app/sharing/sharesheet.js");
                    const start = makeStarting(sharing, net.clock), known = new Map(), changes = [];
                    let isLost = true;
                    net.answers["sharing.start"] = ({ clientId, expiresIn, precision }) => {
                      if (!known.has(clientId)) known.set(clientId, mine(20 + known.size, { audience: "person", precision, expiresAt: soon(expiresIn * 1000) }));
                      if (isLost) throw Object.assign(new Error("no answer"), { code: "timeout", isTransient: true });
                      return { share: known.get(clientId) };
                    };
                    net.answers["sharing.change"] = ({ share, ...change }) => { changes.push([share, change]); return { share: mine(share, { audience: "person", precision: change.precision, expiresAt: soon(change.expiresIn * 1000) }) }; };
                    const wish = { audience: "person", account: 3, precision: "exact", expiresIn: 86_400 };
                    await start(wish).then(() => { throw new Error("it was lost"); }, () => {});
                    isLost = false;
                    const { share } = await start({ ...wish, precision: "zone", expiresIn: 900 });
                    check("the same share", [known.size, share.id, share.precision, changes], [1, 20, "zone", [[20, { precision: "zone", expiresIn: 900 }]]]);
                    check("for the time that was wished for last", Date.parse(share.expiresAt) - Date.now() < 901_000, true);
                    check("nothing to change", [(await start({ ...wish })).share.id, changes.length], [20, 1]);
                    known.get([...known.keys()][0]).endedAt = soon(0);
                    check("one that is over", [(await start({ ...wish })).share.id, known.size], [21, 2]);
                    await start({ ...wish, account: 4 });
                    check("with another", [known.size, changes.length], [3, 1]);
                    """#)
            #expect(result == "ok")
        }

        @Test(
            "On a map a point goes with closed, with a refusal, when it is hidden and when somebody else signs in; cells are followed as the view moves"
        )
        func people() async throws {
            let result = try await Web.logic(
                Self.net + #"""
                    const { peopleTopic } = await import("/app/sharing/board.js");
                    const people = new People(net, sharing);
                    const location = { lat: 51.5, lon: 8, accuracy: 9, source: "gps", onCampus: true, at: soon(0) };
                    const seen = () => people.entries.map(({ share }) => share);
                    const appear = () => { for (const id of [7, 8]) net.topics.get(`share/${id}`)?.snapshot({ share: theirs(id), state: "live", location }); };
                    appear();
                    check("both", seen(), [7, 8]);
                    net.topics.get("share/7").push({ type: "closed", reason: "no longer shared" });
                    check("closed", [seen(), net.topics.has("share/7")], [[8], false]);
                    sharing.setHidden(8, true);
                    check("hidden", [seen(), net.topics.has("share/8")], [[], false]);
                    sharing.setHidden(8, false);
                    appear();
                    const refuse = net.topics.get("share/8").error;
                    refuse(Object.assign(new Error("offline"), { isTransient: true }));
                    check("a lost network says nothing, and what is over is not asked for again", [seen(), net.topics.has("share/7")], [[8], false]);
                    refuse(Object.assign(new Error("not shared with you"), { isTransient: false }));
                    check("a refusal", seen(), []);
                    net.topics.get("user/1").push({ type: "share" });
                    await until("the list is new", () => net.topics.has("share/7"));
                    appear();

                    const topic = peopleTopic(51.5, 8);
                    people.look([51.4999, 7.9999, 51.5001, 8.0001]);
                    people.setCampus(true);
                    await until("the cells in view", () => net.topics.has(topic));
                    net.topics.get(topic).snapshot({ people: [{ share: 30, person: { account: 50, name: "p50" }, precision: "exact", state: "live", location }, { share: 31, person: { account: 1, name: "anna" }, precision: "exact", state: "live", location }], left: [], more: 2, full: true });
                    check("others, not oneself", [seen().includes(30), seen().includes(31), people.more], [true, false, 2]);
                    people.look([52, 9, 52.0001, 9.0001]);
                    await until("elsewhere", () => !net.topics.has(topic));
                    check("nobody of before", seen().includes(30), false);
                    people.setCampus(false);
                    check("no cells", [...net.topics.keys()].filter((name) => name.startsWith("people/")), []);

                    check("those who share are still there", seen(), [7, 8]);
                    net.use({ id: 2, username: "ben" });
                    check("somebody else signs in", [seen(), [...net.topics.keys()].filter((name) => name.startsWith("share/")), ids()], [[], [], []]);
                    people.close();
                    """#)
            #expect(result == "ok")
        }

        @Test("An answer to a question that is gone says so, and the questions are asked for anew")
        func goneQuestion() async throws {
            let result = try await Web.logic(
                Self.net + #"""
                    const { openAnswer } = await import("/app/sharing/ask.js");
                    const { RequestError } = await import("/app/client/errors.js");
                    openAnswer({ sharing, reporter: {} }, { id: 5, from: { name: "Ben" } });
                    net.answers["sharing.answer"] = new RequestError(1003, "There is no such question.");
                    net.asked = [];
                    document.getElementById("answer-decline").click();
                    await until("said", () => document.querySelector("#answer .problem").textContent.startsWith("This request has expired"));
                    check("asked anew, not sent again", [net.asked.includes("sharing.requests"), document.getElementById("answer-send").disabled], [true, true]);
                    """#)
            #expect(result == "ok")
        }

        @Test("Where there is no buddy to choose, a person is found by username alone")
        func picker() async throws {
            let result = try await Web.logic(
                Self.net + #"""
                    const { makePersonPicker } = await import("/app/sharing/whom.js");
                    const scope = { show: () => {} };
                    const label = ({ element }) => element.querySelector("label[for=whom-username]").textContent;
                    net.answers["buddies.list"] = { buddies: [] };
                    const alone = makePersonPicker({ net, scope });
                    await until("loaded", () => alone.element.querySelector("p").textContent.startsWith("You have no buddies"));
                    check("alone", [label(alone), alone.check(), alone.element.querySelector(".problem").textContent], ["Username", false, "Enter a username."]);
                    net.answers["buddies.list"] = { buddies: [{ person: { account: 4, name: "Ben" } }] };
                    const among = makePersonPicker({ net, scope });
                    await until("listed", () => among.element.querySelector("input[type=radio]"));
                    check("among buddies", label(among), "Or by username");
                    """#)
            #expect(result == "ok")
        }

        @Test("What this device does is said in plain words, with what to do about it")
        func status() async throws {
            let result = try await Web.logic(
                #"""
                const { statusOf } = await import("/app/sharing/status.js");
                const now = 1_000_000;
                const base = { duty: "tell", trouble: null, mine: { location: { source: "gps" } }, toldAt: now - 4_000, fix: { accuracy: 12 }, missedSeconds: null, isSparing: false, isPinned: false };
                const said = (more, { isLive = true, isSharing = true } = {}) => { const status = statusOf({ ...base, ...more }, { isLive, isSharing, now }); return status && [status.kind, status.action, status.text]; };
                check("nothing is shared", said({}, { isSharing: false }), null);
                check("told", said({}), ["good", null, "This device is sending your location: ±12 m, GPS, sent 4 s ago."]);
                check("refused", said({ trouble: { code: "denied" } }).slice(0, 2), ["bad", "again"]);
                check("no signal", said({ trouble: { code: "unavailable" } })[2].includes("location services"), true);

                const { troubleLine } = await import("/app/sharing/bar.js");
                const spot = { location: { at: new Date(now - 60_000).toISOString() } }, longAgo = { location: { at: new Date(now - 901_000).toISOString() } };
                const seen = (code, told, { isLive = true, mine = null } = {}) => [
                  troubleLine({ duty: "tell", mine, trouble: { code } }, { state: isLive ? "live" : "offline", wasLive: true, clock: { now: () => now } }, told),
                  statusOf({ ...base, mine, trouble: { code } }, { isLive, isSharing: true, told, now }).text.split(". ")[0],
                ];
                const last = "others see your last location and its age", may = "others may see your last location and its age", long = ", until it is 15 minutes old";
                for (const [code, bar, box] of [["denied", "Location is blocked", "Location is blocked for this site"], ["unavailable", "No location found", "No location found"]]) {
                  const is = (what, given, words, end = "") => check(`${code}: ${what}`, given, [`${bar}: ${words}`, `${box}: ${words}${end}`]);
                  is("known that there is none", seen(code, "none"), "nobody sees you");
                  for (const told of ["live", "old"]) is(told, seen(code, told), last, long);
                  is("hidden", seen(code, "hidden"), "others see you as hidden");
                  is("without a network it may have changed", seen(code, "none", { isLive: false }), may, long);
                  is("not known yet", seen(code, null), may, long);
                  is("this server has one", seen(code, null, { mine: spot }), last, long);
                  is("this server had one", seen(code, null, { mine: longAgo }), may, long);
                  is("this server has one that it hides", seen(code, null, { mine: { ...spot, hidden: "zone" } }), "others see you as hidden");
                }
                check("offline", said({}, { isLive: false })[2].includes("15 minutes"), true);
                check("in a private zone", said({ mine: { location: {}, hidden: "zone" } })[2].includes("private zone"), true);
                check("in the background", said({ missedSeconds: 240 })[2].includes("for 4 min"), true);
                check("a low battery", said({ isSparing: true })[2].includes("battery"), true);
                const heard = (seconds) => said({ duty: "elsewhere", mine: { location: { at: new Date(now - seconds * 1000).toISOString() } } });
                check("elsewhere", [heard(20).slice(0, 2), heard(240).slice(0, 2), said({ duty: "elsewhere", mine: { location: null } }).slice(0, 2), said({ duty: "elsewhere", mine: null })], [["", "here"], ["warn", "here"], ["warn", "here"], ["", "here", "This device isn't sending your location. Checking your other devices…"]]);
                check("elsewhere, without a network", said({ duty: "elsewhere" }, { isLive: false })[2].includes("another device sends"), true);
                check("a pin", said({ duty: "pinned", isPinned: true }).slice(0, 2), ["", "clear"]);
                check("tracking", said({ duty: "tracking" })[2], "Your session is sending your location.");
                check("stopping", said({ duty: "stopping" })[2].includes("no longer sends"), true);
                check("stopping one of several", said({ duty: "stopping", goesOn: true })[2].includes("no location until the shares you stopped have ended"), true);
                check("nothing yet", said({ toldAt: null })[2], "Finding your location…");
                """#)
            #expect(result == "ok")
        }
    }
}
