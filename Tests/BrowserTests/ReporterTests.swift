import TestSupport
import Testing

extension WebSharing {
    @Suite("When the web app tells where its device is")
    struct ReporterTests {
        /// A device that may say where it is, of the account of ``SharingStoreTests/net``, which shares nothing.
        private static let device =
            SharingStoreTests.net + #"""
                navigator.permissions.query = async () => Object.assign(new EventTarget(), { state: window.permission ?? "granted" });
                const watches = new Set();
                navigator.geolocation.watchPosition = (found) => { watches.add(found); return found; };
                navigator.geolocation.clearWatch = (found) => watches.delete(found);
                const { Reporter } = await import("/app/sharing/reporter.js");
                const { statusOf } = await import("/app/sharing/status.js");
                const off = { heatmap: false, visits: false, searches: false, residences: false };
                const nowhere = { location: null, shares: 0 };
                let shares = [], settings = off, place = nowhere;
                Object.assign(net.answers, { "sharing.mine": () => ({ shares }), "privacy.settings": () => settings, "location.mine": () => place, "location.report": () => place });
                const tracker = Object.assign(new EventTarget(), { record: null, hasSession: false, isKnown: true });
                const reporter = new Reporter(net, sharing, tracker);
                const signal = (type) => net.topics.get("user/1").push({ type });
                const key = "campanile.tellsWhere", chosen = () => localStorage.getItem(key);
                const choose = (account) => { localStorage.setItem(key, account); dispatchEvent(new StorageEvent("storage", { key, newValue: account })); };
                const status = () => statusOf(reporter, { isLive: net.state === "live", isSharing: sharing.working.length > 0, isLoaded: sharing.isLoaded, now: Date.now(), serverNow: Date.now() });
                signal("share");
                await until("nothing is shared", () => sharing.working.length === 0);
                """#

        @Test(
            "A tab that slept while another one began a share leaves the device chosen until the server says that nothing is shared, by an answer to a question that was asked after the choice"
        )
        func chosen() async throws {
            let result = try await Web.logic(
                Self.device + #"""
                    net.become("offline");
                    choose("1");
                    document.dispatchEvent(new Event("visibilitychange"));
                    sharing.dispatchEvent(new Event("change"));
                    check("it knows of no share, and leaves the choice alone", [chosen(), sharing.working.length, sharing.isLoaded], ["1", 0, true]);
                    shares = [mine(3)];
                    net.become("live");
                    net.topics.get("user/1").snapshot();
                    await until("it tells", () => ["tell", "otherTab"].includes(reporter.duty));
                    check("still chosen", chosen(), "1");
                    shares = [];
                    signal("share");
                    await until("over", () => reporter.duty === "off");
                    check("the next share chooses its device", chosen(), null);

                    let answer;
                    net.answers["sharing.mine"] = () => new Promise((done) => { answer = done; });
                    signal("share");
                    await until("asked", () => answer);
                    await new Promise((done) => setTimeout(done, 5));
                    choose("1");
                    answer({ shares: [] });
                    await new Promise((done) => setTimeout(done, 20));
                    check("an answer from before it", chosen(), "1");
                    """#)
            #expect(result == "ok")
        }

        @Test(
            "That another device tells is said only while the server hears of one; where none is heard, it is said, with a way to tell from here"
        )
        func elsewhere() async throws {
            let result = try await Web.logic(
                Self.device + #"""
                    const { troubleLine } = await import("/app/sharing/bar.js");
                    shares = [mine(3)];
                    net.asked = [];
                    signal("share");
                    await until("it looks", () => reporter.duty === "elsewhere" && net.asked.includes("location.mine") && reporter.mine);
                    check("none", [status().kind, status().action, status().text, troubleLine(reporter, net)], ["warn", "here", "No device is sending your location.", "No device is sending your location"]);
                    const told = (state) => { net.topics.get("share/3").push({ type: "location", state }); return [statusOf(reporter, { isLive: true, isSharing: true, told: sharing.toldState, now: Date.now() }).text, troubleLine(reporter, net, sharing.toldState) === null]; };
                    check("another server has it from a device of theirs", told("live"), ["Another device is sending your location.", true]);
                    check("in the dark, too", told("hidden")[1], true);
                    check("and not any more", told("none"), ["No device is sending your location: nobody sees you.", false]);
                    place = { location: { lat: 51.5, lon: 8, accuracy: 9, source: "gps", at: soon(-20_000) }, shares: 1 };
                    document.dispatchEvent(new Event("visibilitychange"));
                    await until("one does", () => reporter.mine.location !== null);
                    check("one", [status().kind, status().action, status().text.startsWith("Another device is sending your location, last 20 s ago"), troubleLine(reporter, net)], ["", "here", true, null]);
                    place = { ...place, location: { ...place.location, at: soon(-240_000) } };
                    document.dispatchEvent(new Event("visibilitychange"));
                    await until("it went", () => status().kind === "warn");
                    check("with its age", status().text.includes("4 min ago"), true);
                    reporter.setHere(true);
                    check("from here", ["tell", "otherTab"].includes(reporter.duty), true);
                    """#)
            #expect(result == "ok")
        }

        @Test(
            "Noting visits is enough to tell from a device that may say where it is, as being counted is; switched off on another device it ends at once, and so it does while it cannot be asked"
        )
        func counted() async throws {
            let result = try await Web.logic(
                Self.device + #"""
                    check("all off", reporter.duty, "off");
                    for (const kind of ["visits", "heatmap"]) {
                      settings = { ...off, [kind]: true };
                      signal("privacy");
                      await until(`${kind} is on`, () => reporter.duty === "tell" && watches.size === 1);
                      settings = off;
                      signal("privacy");
                      await until(`${kind} is off`, () => reporter.duty === "off" && watches.size === 0);
                    }
                    settings = { ...off, heatmap: true };
                    signal("privacy");
                    await until("on again", () => reporter.duty === "tell");
                    net.answers["privacy.settings"] = Object.assign(new Error("busy"), { code: 1006, isTransient: true });
                    signal("privacy");
                    await until("nobody knows", () => reporter.duty === "off" && reporter.settings === null);

                    window.permission = "prompt";
                    net.answers["privacy.settings"] = () => ({ ...off, visits: true });
                    const asking = new Reporter(net, sharing, tracker);
                    await until("known", () => asking.settings?.visits);
                    check("the browser is not made to ask", asking.duty, "off");
                    """#)
            #expect(result == "ok")
        }

        @Test(
            "That only the reader sees it is not said while shares are not known, end, or a session runs, nor without a connection"
        )
        func unseen() async throws {
            let result = try await Web.logic(
                Self.device + #"""
                    check("nothing is shared", reporter.isUnseen, true);
                    tracker.hasSession = true;
                    check("a session", reporter.isUnseen, false);
                    tracker.hasSession = false;
                    net.become("offline");
                    check("no connection", reporter.isUnseen, false);
                    shares = [mine(3)];
                    net.become("live");
                    signal("share");
                    await until("shared", () => sharing.working.length === 1);
                    check("a share", reporter.isUnseen, false);
                    net.become("offline");
                    await sharing.stop(3);
                    check("one that ends", [reporter.duty, reporter.isUnseen], ["stopping", false]);

                    localStorage.removeItem("campanile.sharesToStop.1");
                    const page = new Sharing(net), anew = new Reporter(net, page, tracker);
                    check("a page that was loaded since", [anew.duty, anew.isUnseen, watches.size], ["unsure", false, 0]);
                    check("and what it says", statusOf(anew, { isLive: false, isSharing: true, isLoaded: false, now: Date.now() }).text.startsWith("You may still be sharing"), true);
                    net.use(null);
                    check("a guest", anew.isUnseen, true);
                    """#)
            #expect(result == "ok")
        }

        @Test(
            "Without a network a device tells nothing while one of two shares waits to be stopped, says so, and tells again when that has ended"
        )
        func stoppedOne() async throws {
            let result = try await Web.logic(
                Self.device + #"""
                    const { stopOne } = await import("/app/sharing/bar.js");
                    document.body.append(Object.assign(document.createElement("div"), { id: "toasts" }));
                    const said = () => document.querySelector("#toasts .toast").textContent;
                    shares = [mine(4), mine(3)];
                    signal("share");
                    await until("shared", () => sharing.working.length === 2);
                    reporter.setHere(true);
                    await until("it tells", () => reporter.duty === "tell");
                    net.become("offline");
                    await stopOne(sharing, sharing.working[0]);
                    check("the other stays", [reporter.duty, status().text.startsWith("This device sends no location until"), said()],
                      ["stopping", true, "You're offline. This device sends no location until you're back online, and the share ends then. Your other shares continue."]);
                    net.answers["sharing.stop"] = ({ share }) => { shares = shares.filter(({ id }) => id !== share); return { share: mine(share), watches: [], watchers: 0 }; };
                    net.become("live");
                    await until("it tells again", () => reporter.duty === "tell" && watches.size === 1);
                    net.become("offline");
                    await stopOne(sharing, sharing.working[0]);
                    check("the last", [statusOf(reporter, { isLive: false, isSharing: true, now: Date.now() }).text.startsWith("This device no longer sends your location."), said()],
                      [true, "You're offline. This device no longer sends your location, and the share ends when you're back online."]);
                    """#)
            #expect(result == "ok")
        }

        @Test(
            "After everything was stopped the words about a pin are those of the server, whether it kept the pin or not"
        )
        func pinned() async throws {
            let result = try await Web.logic(
                Self.device + #"""
                    const pin = { location: { lat: 51.5, lon: 8, accuracy: 9, source: "manual", at: soon(0) }, shares: 1 };
                    net.answers["sharing.stopAll"] = () => { shares = []; return { stopped: [3] }; };
                    for (const [what, after, words] of [["kept", pin, "Your location is a pin you set. Nobody sees it. Lasts 2 hours, or until you clear it."], ["gone", nowhere, null]]) {
                      shares = [mine(3)];
                      place = pin;
                      signal("share");
                      await until("shared", () => sharing.working.length === 1);
                      await reporter.loadMine();
                      check("a pin that is seen", [reporter.duty, status().text], ["pinned", "Your location is a pin you set. Lasts 2 hours, or until you clear it."]);
                      place = after;
                      net.asked = [];
                      check("stopped", await sharing.stop("all"), true);
                      signal("share");
                      await until(`asked: ${what}`, () => net.asked.includes("location.mine"));
                      await until(what, () => (status()?.text ?? null) === words);
                    }
                    """#)
            #expect(result == "ok")
        }
    }
}
