import TestSupport
import Testing

extension WebTracking {
    @Suite("Pages of recording and history, with a server of the test's making")
    struct PageLogicTests {
        /// A page with the app's frame, and a connection whose answers the test gives.
        private static let prelude = #"""
            document.body.replaceChildren(...["announcer", "toasts", "view"].map((id) => Object.assign(document.createElement("div"), { id })));
            const view = document.getElementById("view");
            const at = (css) => document.querySelector(css);
            const settled = () => new Promise((done) => setTimeout(done, 20));
            class Net extends EventTarget {
              state = "live"; wasLive = true; account = { id: 1, username: "ann" }; lastMessageAt = Date.now();
              clock = { now: () => Date.now(), age: () => 0, offset: 0 };
              answers = {}; asked = []; topics = {};
              writes = Object.assign(new EventTarget(), { waiting: [], find: () => null, before: () => null, write: (method, params) => this.request(method, params) });
              read(method, params) { return this.request(method, params); }
              request(method, params) {
                this.asked.push(method);
                return this.answers[method]?.(params) ?? new Promise(() => {});
              }
              subscribe(topic, handlers) {
                this.topics[topic] = handlers;
                return { close() {}, again() {} };
              }
              become(state) {
                this.state = state;
                this.dispatchEvent(new Event("state"));
              }
              count(method) { return this.asked.filter((one) => one === method).length; }
            }
            const session = (id, more = {}) => ({
              id, clientId: `c${id}`, owner: { id: 1, username: "ann" }, title: `Run ${id}`, activity: "run", state: "finished", audience: "private",
              startedAt: "2026-05-04T08:00:00.000Z", endedAt: "2026-05-04T08:10:00.000Z", elapsed: 600, moving: 600, distance: 0, points: 0, ...more });
            const answer = (id, kind) => at(`#${id} [data-answer=${kind}]`).click();
            """#

        private func run(_ script: String) async throws -> String {
            try await Web.logic(Self.prelude + script)
        }

        @Test(
            "A session is deleted once, and a late answer leads nobody off another page; a title that was sent is shown though the dialog was closed; the page comes back with the network"
        )
        func sessionPage() async throws {
            let result = try await run(
                #"""
                const { show } = await import("/app/history/session.js");
                const net = new Net(), gone = [];
                let finish = null;
                net.answers["tracking.session"] = async () => ({ session: session(7), route: [], notCounted: {}, hidden: [], splits: [] });
                net.answers["tracking.delete"] = () => new Promise((done) => { finish = done; });
                const app = { net, router: { go: (path) => gone.push(path) }, tracker: new EventTarget(), titled: (name) => name };
                const open = async () => {
                  view.replaceChildren();
                  const leave = show(view, { id: "7" }, app);
                  await until("it is drawn", () => at("#delete") || view.textContent.includes("has no copy"));
                  return leave;
                };
                const remove = async () => {
                  finish = null;
                  at("#delete").click();
                  await until("it asks", () => at("#delete-dialog"));
                  answer("delete-dialog", "yes");
                  await until("it is sent", () => finish);
                };
                let leave = await open();
                await remove();
                at("#delete").click();
                check("not again", [document.querySelectorAll("dialog").length, net.count("tracking.delete")], [0, 1]);
                leave();
                document.title = "Elsewhere";
                finish({});
                await settled();
                check("the reader stays elsewhere", [gone, document.title], [[], "Elsewhere"]);
                leave = await open();
                await remove();
                finish({});
                await until("to the history", () => gone.length > 0);
                check("once", gone, ["/history"]);

                net.answers["tracking.rename"] = ({ title }) => new Promise((done) => { finish = () => done({ session: session(7, { title }) }); });
                finish = null;
                leave = await open();
                at("#rename").click();
                at("#field-title").value = "Hills";
                at("#rename-form").requestSubmit();
                await until("it is sent", () => finish);
                at("#rename-dialog .wide:not(.primary)").click();
                await until("it is closed", () => !at("#rename-dialog"));
                finish();
                await until("the title that the server has", () => at("h1").textContent === "Hills");
                leave();

                net.answers["tracking.session"] = () => Promise.reject(Object.assign(new Error("no network"), { isTransient: true }));
                net.state = "offline";
                leave = await open();
                check("it waits", [at("[role=alert]"), view.textContent.includes("has no copy")], [null, true]);
                net.answers["tracking.session"] = async () => ({ session: session(7), route: [], notCounted: {}, hidden: [], splits: [] });
                net.become("live");
                await until("by itself", () => at("#session-figures"));
                leave();
                """#)
            #expect(result == "ok")
        }

        @Test(
            "A Start that waits goes on when sessions of other devices begin and end; one that is stopped there is confirmed; two taps begin one session"
        )
        func trackPage() async throws {
            let result = try await run(
                #"""
                Object.defineProperty(navigator, "geolocation", { value: { watchPosition: () => 1, clearWatch() {} }, configurable: true });
                const { show } = await import("/app/tracking/track.js");
                const net = new Net(), starts = [];
                const tracker = Object.assign(new EventTarget(), {
                  record: null, elsewhere: [], isOwner: true, refusedSessions: [], waitingSessions: [], waiting: { entries: 0, points: 0 }, trouble: null,
                  ready: Promise.resolve(), start: (choice) => { starts.push(choice); return new Promise(() => {}); } });
                const changed = () => tracker.dispatchEvent(new Event("change"));
                let audience = "private";
                const settings = Object.assign(new EventTarget(), { value: () => audience });
                const leave = show(view, {}, { net, tracker, settings, router: { go() {} }, config: {} });
                await until("the form", () => at("#start-form"));
                at("#title").value = "Hills";
                at("#start-form").requestSubmit();
                await until("it waits", () => at("#start-without"));
                tracker.elsewhere = [session(5, { title: "Laps" }), session(6)];
                changed();
                // Start was pressed with what the form showed.
                audience = "public";
                settings.dispatchEvent(new Event("change"));
                check("still", [at("[name=audience]:checked").value, at("#title").value, at("#start-without") !== null, document.querySelectorAll("[data-elsewhere]").length],
                  ["private", "Hills", true, 2]);
                net.answers["tracking.stop"] = async () => ({ message: "Session successfully saved" });
                at("[data-elsewhere='5'] .row > button:last-child").click();
                await until("it asks", () => at("#stop-dialog"));
                answer("stop-dialog", "yes");
                await until("it is confirmed", () => at("#saved-note"));
                changed();
                check("and stays so", [at("#saved-note a").getAttribute("href"), document.querySelectorAll("[data-elsewhere]").length, at("#start-without") !== null],
                  ["/history/5", 1, true]);
                tracker.waiting = { entries: 1, points: 0 };
                changed();
                check("a stop alone", at("#waiting-note").textContent, "Waiting to upload.");
                tracker.waiting = { entries: 3, points: 2 };
                changed();
                check("points", at("#waiting-note").textContent, "2 points left to upload.");
                const without = at("#start-without");
                without.click();
                without.click();
                check("one session", starts.map(({ title, isTimeOnly }) => [title, isTimeOnly]), [["Hills", true]]);
                leave();
                """#)
            #expect(result == "ok")
        }

        @Test(
            "What waits is counted in the account's own points; once one tab has uploaded a session, no other says that it is not"
        )
        func tabs() async throws {
            let result = try await run(
                #"""
                const { Outbox } = await import("/app/connection/outbox.js");
                const { Tracker } = await import("/app/tracking/tracker.js");
                const outbox = await new Outbox().open();
                await outbox.save({ clientId: "other", account: 2, state: "stopped" }, { clientId: "other", account: 2, kind: "point", point: {} });
                const make = async () => {
                  const net = new Net();
                  net.state = "offline";
                  const tracker = new Tracker(net);
                  await tracker.ready;
                  return { net, tracker };
                };
                const one = await make();
                await one.tracker.start({ activity: "run", title: "Laps", audience: "private", isTimeOnly: true });
                await one.tracker.stop();
                await until("start and stop wait", () => one.tracker.waiting.entries === 2);
                check("no point of this account", one.tracker.waiting.points, 0);
                const two = await make();
                check("read by the other tab", [two.tracker.isOwner, two.tracker.waitingSessions.map(({ title }) => title)], [false, ["Laps"]]);
                for (const [method, more] of Object.entries({ "tracking.start": { state: "running" }, "tracking.stop": {} })) {
                  one.net.answers[method] = async () => ({ session: session(9, more) });
                }
                one.net.answers["tracking.current"] = async () => ({ sessions: [] });
                one.net.become("live");
                await until("uploaded", () => one.net.count("tracking.stop") === 1);
                await until("the other tab knows", () => two.tracker.waitingSessions.length === 0 && two.tracker.waiting.entries === 0);
                """#)
            #expect(result == "ok")
        }

        @Test(
            "The history keeps the row that has the focus when it is drawn anew, and lists nothing as waiting that the server has"
        )
        func history() async throws {
            let result = try await run(
                #"""
                const { show } = await import("/app/history/list.js");
                const net = new Net();
                let sessions = [session(2), session(1)];
                net.answers["tracking.history"] = async () => ({ sessions, next: null });
                const waiting = session(3);
                const tracker = Object.assign(new EventTarget(), { waitingSessions: [waiting], ready: Promise.resolve() });
                const leave = show(view, {}, { net, events: new EventTarget(), router: { go() {} }, tracker });
                await until("drawn", () => document.querySelectorAll("[data-session]").length === 2);
                check("it waits", at("[data-waiting]")?.dataset.waiting, "c3");
                const row = at("[data-session='2']");
                row.focus();
                sessions = [session(3), session(2), session(1)];
                tracker.dispatchEvent(new Event("history"));
                await until("a new one", () => document.querySelectorAll("[data-session]").length === 3);
                check("the same row", [document.activeElement === row, at("[data-waiting]")], [true, null]);
                sessions = [session(2, { title: "Renamed" }), session(1)];
                tracker.dispatchEvent(new Event("history"));
                await until("renamed", () => view.textContent.includes("Renamed"));
                check("its row", document.activeElement.dataset.session, "2");
                leave();
                """#)
            #expect(result == "ok")
        }

        @Test(
            "Refused points say why; splits begin with one kilometre and name the best; a hidden run's chip changes as it ends"
        )
        func words() async throws {
            let result = try await run(
                #"""
                const { makeTrackWarnings } = await import("/app/tracking/warnings.js");
                const net = new Net();
                const warnings = makeTrackWarnings({ tracker: { isOwner: true, fix: { accuracy: 5 }, trouble: null, sendProblem: null }, net });
                warnings.update({ state: "running", problem: null, isTimeOnly: false, refused: { beforeStart: 2, tooManyPoints: 1 } });
                check("why", warnings.element.textContent, "The server rejected 3 points. It was from before the session started. The session has reached its maximum number of points.");

                const { splitsCard } = await import("/app/history/splits.js");
                const table = (splits) => { const card = splitsCard(splits, "run"); return card && [...card.querySelectorAll("tr")].map((row) => [...row.cells].map((cell) => cell.textContent).join("|")); };
                check("less than one", table([{ distance: 900, elapsed: 300 }]), "");
                check("one", table([{ distance: 1000, elapsed: 300 }]), ["km|Pace, min/km||Total", "1|5:00||05:00"]);
                check("the best is a whole one", table([{ distance: 1000, elapsed: 300 }, { distance: 1000, elapsed: 280 }, { distance: 100, elapsed: 20 }]).slice(1),
                  ["1|5:00||05:00", "2|4:40 best||09:40", "0.10|3:20||10:00"]);

                const { makeFollowCard } = await import("/app/livemap/followcard.js");
                const card = makeFollowCard({
                  app: { net, known: { nameOf: (name) => name }, roster: { elapsed: () => 0 } }, view: null, session: 7, runner: () => null, onStop() {} });
                const facts = (state) => session(7, { state, elapsed: 0 });
                net.topics["session/7"].snapshot({ session: facts("running"), route: [], hidden: true });
                const chip = () => card.element.querySelector("#follow-state").textContent;
                check("hidden", chip(), "Hidden right now");
                net.topics["session/7"].push({ type: "ended", session: facts("finished") });
                check("ended", [chip(), card.element.querySelector("#follow-age").textContent], ["Hidden", "ann hides this run: it's all in a private zone or residence."]);
                """#)
            #expect(result == "ok")
        }

        @Test(
            "Runners are listed in the order of the names shown, also once a name becomes known, and found by username, too; after a profile is saved names are asked for anew"
        )
        func names() async throws {
            let result = try await run(
                #"""
                const { KnownPeople } = await import("/app/kit/known.js");
                const { makeRunnerList } = await import("/app/livemap/runnerlist.js");
                const net = new Net();
                const runner = (number, name, username = name) => ({ session: number, name, username, state: "moving", at: Date.now(), distance: 0, averageSpeed: 0, activity: "run" });
                const roster = { entries: new Map([[1, "abel"], [2, "carl"], [3, "ben"]].map(([number, name]) => [number, { runner: runner(number, name) }])), isKnown: true, elapsed: () => 0 };
                const list = makeRunnerList({ roster, net, onSelect() {}, followed: () => null, isSeen: () => true, seesCampus: () => true });
                const shown = () => { list.update(); return [...list.element.querySelectorAll(".runner-name")].map(({ textContent }) => textContent).join(); };
                check("by name", shown(), "abel,ben,carl");
                roster.entries.get(1).runner = runner(1, "Zoe Abel", "abel");
                check("by another", shown(), "ben,carl,Zoe Abel");
                roster.entries.delete(2);
                check("one left", shown(), "ben,Zoe Abel");
                list.search.value = "ABEL";
                check("by either", shown(), "Zoe Abel");
                roster.entries.get(1).runner = runner(1, "Zoe", "abel");
                check("by username", shown(), "Zoe");

                let name = "Ann Lee";
                net.answers["people.known"] = async () => ({ people: [{ account: 1, username: "ann", name }] });
                const known = new KnownPeople(net);
                net.topics["user/1"].snapshot();
                await until("known", () => known.nameOf("ann") === "Ann Lee");
                name = "Ann Ray";
                await known.load();
                check("anew", known.nameOf("ann"), "Ann Ray");
                """#)
            #expect(result == "ok")
        }

        @Test(
            "The recommended private zone is the smallest that protects a home, unless it hides more than a quarter of the campus"
        )
        func zoneSizes() async throws {
            let result = try await run(
                #"""
                const { recommendedSize, sizeWords, zoneSizeHint } = await import("/app/privacy/words.js");
                const campus = (metres) => ({ south: 51.5, north: 51.5 + metres / 111_195, west: 8, east: 8 + metres / 111_195 / Math.cos(51.5 * Math.PI / 180) });
                check("by the campus", [null, campus(5_000), campus(1_400), campus(1_300), campus(700), campus(600)].map(recommendedSize), ["small", "small", "small", "tiny", "tiny", null]);
                const words = (bounds) => ["tiny", "small", "medium"].map((size) => sizeWords(size, bounds).split(" around")[1]);
                check("large", words(campus(5_000)), [", not for a home", ", recommended", ""]);
                check("small", words(campus(1_000)), [", recommended here, protects less", ", protects a home", ""]);
                check("said", [campus(5_000), campus(1_000), campus(300)].map((bounds) => zoneSizeHint(bounds).split(" ").slice(0, 4).join(" ")), ["For your home, choose", "This campus is small:", "This campus is small:"]);
                """#)
            #expect(result == "ok")
        }
    }
}
