import CampanileClient
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

extension WebSharing {
    /// Anna has a phone and shares, Ben is her buddy.
    @Suite("What stays of sharing when the network, the page or the account goes")
    struct SharingKeptTests {
        private static let bar = SharingTests.bar
        private static let chosen = "localStorage.getItem('campanile.tellsWhere')"

        @Test(
            "What one shares is known on a page that was loaded without a network, by name and until its end, and can be stopped there; the server's word takes its place; nobody else finds it"
        )
        func kept() async throws {
            let result = try await Web.logic(
                SharingStoreTests.net + #"""
                    const ben = { account: 21, name: "Ben", username: "benruns" };
                    let shares = [mine(2, { audience: "person", person: ben, watching: 3 }), mine(1)];
                    net.answers["sharing.mine"] = () => ({ shares });
                    net.topics.get("user/1").push({ type: "share" });
                    const key = "campanile.shares.1", stored = () => JSON.parse(localStorage.getItem(key));
                    await until("kept", () => stored()[0].person);
                    check("no more than is needed", stored()[0], { id: 2, audience: "person", precision: "zone", person: { name: "Ben" }, startedAt: shares[0].startedAt, expiresAt: shares[0].expiresAt });
                    net.become("offline");
                    const page = new Sharing(net), said = () => page.working.map(({ id, isKept, watching }) => [id, isKept, watching]);
                    check("a page that is loaded anew", [said(), page.working[0].person.name, page.isLoaded], [[[2, true, null], [1, true, null]], "Ben", false]);
                    check("stopped", [await page.stop(2), said(), page.isStopping(2)], [false, [[1, true, null]], true]);
                    check("and once more", new Sharing(net).working.map(({ id }) => id), [1]);

                    net.answers["sharing.stop"] = ({ share }) => ({ share: mine(share), watches: [], watchers: 0 });
                    net.asked = [];
                    net.become("live");
                    await until("told", () => !page.isStopping());
                    check("told, and no longer kept", [net.asked[0], stored().map(({ id }) => id)], ["sharing.stop", [1]]);
                    net.answers["sharing.mine"] = Object.assign(new Error("busy"), { code: 1006, isTransient: true });
                    await page.loadShares();
                    check("a failure is no news", [said(), page.isLoaded], [[[1, true, null]], false]);
                    net.answers["sharing.mine"] = () => ({ shares: [mine(1, { watching: 2 })] });
                    await page.loadShares();
                    check("the server's word", page.working.map(({ id, isKept, watching }) => [id, isKept, watching]), [[1, undefined, 2]]);

                    localStorage.setItem(key, JSON.stringify([{ id: 8, audience: "campus", precision: "zone", expiresAt: soon(-1) }, { id: "x" }, null]));
                    check("what is over, or no share", new Sharing(net).working, []);
                    localStorage.setItem(key, "{");
                    check("what cannot be read", new Sharing(net).working, []);
                    shares = Array.from({ length: 30 }, (_, number) => mine(number + 1));
                    net.answers["sharing.mine"] = () => ({ shares });
                    await page.loadShares();
                    check("never more than twenty", stored().length, 20);
                    const other = new Net();
                    other.account = { id: 2 };
                    check("another account", [new Sharing(other).working, localStorage.getItem(key)], [[], null]);
                    await page.loadShares();
                    net.use(null);
                    check("who logs out", localStorage.getItem(key), null);
                    """#)
            #expect(result == "ok")
        }

        @Test(
            "Who is logged out by the server while they share is told that others may still see them, and how to stop that; not of an account that is no more"
        )
        func signedOut() async throws {
            let result = try await Web.logic(
                #"""
                const { signOutWords } = await import("/app/connection/signoutwords.js");
                const said = (cause, isSharing) => { const { text, stays } = signOutWords(cause, { isSharing }); return [text.includes("Others may still see your location. Log in again to stop that."), stays]; };
                check("causes", ["changed", "devices", "signedOut"].map((cause) => said(cause, true)), [[true, true], [true, true], [true, true]]);
                check("nothing is seen of these", ["disabled", "removed"].map((cause) => said(cause, true)[0]), [false, false]);
                check("nothing is shared", said("devices", false), [false, false]);
                """#)
            #expect(result == "ok")
        }

        @Test(
            "The map says that only the reader sees where they are, also when the server said so long ago, but not while a session of theirs runs"
        )
        func session() async throws {
            let server = try await WebRoot.start()
            let (page, connection, _) = try await Page.tracking(on: server, at: SharingTests.place)
            let browser = page.browser
            let note = "document.getElementById('map-note').textContent"
            try await page.open("/map")
            try await browser.wait("nothing is shared", "campanile.sharing.isLoaded")
            try await browser.click("#locate")
            try await browser.wait("only they", "\(note).includes('Only you see it.')")
            _ = try await browser.script(
                """
                const now = performance.now.bind(performance);
                performance.now = () => now() + 61_000;
                window.isGone = false;
                new MutationObserver(() => { window.isGone ||= !\(note).includes('Only you'); })
                  .observe(document.getElementById('map-note'), { subtree: true, childList: true, characterData: true });
                return true;
                """)
            try await browser.wait("asked again", "window.isGone && \(note).includes('Only you see it.')")
            try await page.open("/track")
            _ = try await page.startTracking()
            try await page.open("/map")
            try await browser.wait(
                "it goes on", "campanile.tracking?.state === 'running' && campanile.sharing.isLoaded")
            try await browser.click("#locate")
            // Chromium tells a second watch of one page only of what is new.
            try await browser.setPosition(SharingTests.place.lat + 0.0001, SharingTests.place.lon)
            try await browser.wait("where they are", "\(note).includes('You (±')")
            #expect(try await browser.script("return !\(note).includes('Only you see it')"))
            await connection.close()
            await server.stop()
        }

        /// Anna shares her exact position with Ben from her phone.
        private func sharing() async throws -> (server: TestServer, anna: Person, ben: Person) {
            let server = try await WebRoot.start()
            let (anna, ben, _) = try await SharingTests.buddies(on: server)
            try await anna.page.open("/map")
            try await anna.browser.wait("the map's people", "document.getElementById('share-open')")
            try await SharingTests.share(anna, "person")
            try await anna.browser.wait("it is told where she is", "campanile.sharing.toldAt !== null")
            return (server, anna, ben)
        }

        private func leave(_ server: TestServer, _ people: Person...) async throws {
            for person in people { try await person.leave() }
            await server.stop()
        }

        private func shares(of person: Person) async throws -> Int {
            try await person.connection.call(SharingMine.self).shares.count
        }

        @Test(
            "After a reload without a network the bar says that Anna may be sharing, the map does not say that only she sees it, and what she stops there ends with the network"
        )
        func reload() async throws {
            let (server, anna, ben) = try await sharing()
            let browser = anna.browser
            try await browser.wait("what pages need is kept", "navigator.serviceWorker.controller")
            try await browser.setOffline(true)
            try await browser.go(anna.page.origin + "/map")
            try await browser.wait(
                "the bar",
                "\(Self.bar).dataset.state === 'unsure' && \(Self.bar).textContent.includes('You may be sharing')")
            #expect(try await browser.script("return \(Self.bar).textContent.includes('With Ben Castro')"))
            try await browser.tap("#locate")
            try await browser.wait(
                "where she is", "document.getElementById('map-note').textContent.includes('You (±')")
            #expect(
                try await browser.script("return !document.getElementById('map-note').textContent.includes('Only you')")
            )
            try await browser.shots("sharing-50-unsure-phone")
            try await browser.tap("#share-bar a")
            try await browser.wait(
                "the page has it, too",
                """
                document.querySelector('#my-shares [data-share] [data-action=stop]') && document.getElementById('share-status').textContent.includes('You may still be sharing')
                  && document.getElementById('sharing-problem').textContent.includes('This list may be old')
                """)
            try await anna.expectNames("the sharing page without a network")
            try await browser.shots("sharing-51-unsure-page-phone")
            try await browser.tap("#share-bar-stop")
            try await browser.wait("it stops", "\(Self.bar).dataset.state === 'stopping'")
            #expect(try await shares(of: anna) == 1)
            try await browser.setOffline(false)
            try await browser.wait("it is over", "\(Self.bar).hidden && campanile.sharing.isLoaded")
            #expect(try await shares(of: anna) == 0)
            #expect(
                try await browser.script(
                    "return !Object.keys(localStorage).some((key) => /shares(ToStop)?[.]/.test(key))"))
            try await leave(server, anna, ben)
        }

        @Test(
            "A tab that lost its network before a share was begun in another one does not make the device stop telling")
        func staleTab() async throws {
            let server = try await WebRoot.start()
            let (anna, ben, _) = try await SharingTests.buddies(on: server)
            let browser = anna.browser
            try await browser.withEndableSockets {
                try await anna.page.open("/map")
                try await browser.wait("nothing is shared", "campanile.sharing.isLoaded")
                try await browser.loseNetwork()
            }
            let tabs = try await browser.openTab()
            try await browser.setPosition(SharingTests.place.lat, SharingTests.place.lon)
            try await anna.page.open("/map")
            try await browser.wait("the map's people", "document.getElementById('share-open')")
            try await SharingTests.share(anna, "person")
            try await browser.wait("it is told where she is", "campanile.sharing.toldAt !== null")
            try await browser.use(tab: tabs.first)
            try await browser.script("document.dispatchEvent(new Event('visibilitychange')); return true")
            #expect(try await browser.text(Self.chosen) == "\(anna.account)")
            try await browser.setOffline(false)
            try await browser.wait(
                "it knows, and one of both tells",
                "campanile.sharing.working === 1 && ['tell', 'otherTab'].includes(campanile.sharing.duty)")
            #expect(try await browser.text(Self.chosen) == "\(anna.account)")
            try await browser.closeTab(for: tabs.second)
            try await leave(server, anna, ben)
        }

        @Test(
            "Who logs out on the device that tells is told that it ends what they share, stays logged in while the server does not say so, and leaves no share"
        )
        func logOut() async throws {
            let (server, anna, ben) = try await sharing()
            let browser = anna.browser
            try await anna.page.open("/account")
            // As when the database is away.
            try await browser.script(
                """
                window.away = true;
                const send = WebSocket.prototype.send;
                WebSocket.prototype.send = function (data) {
                  const { id, method } = typeof data === 'string' ? JSON.parse(data) : {};
                  if (!window.away || !method?.startsWith('sharing.stop')) return send.call(this, data);
                  const error = { code: 1006, message: 'the database is away', data: { name: 'unavailable' } };
                  setTimeout(() => this.onmessage({ data: JSON.stringify({ jsonrpc: '2.0', id, error }) }), 5);
                };
                return true;
                """)
            try await browser.wait(
                "nothing moves any more",
                "document.getElementById('goal-distance') && campanile.sharing.working === 1"
            )
            try await browser.tap("#logout")
            try await browser.wait(
                "what becomes of it",
                "document.getElementById('logout-dialog').textContent.includes('sharing your location with Ben Castro. That stops now.')"
            )
            try await browser.shots("sharing-52-log-out-phone")
            try await browser.tap("#logout-dialog [data-answer=yes]")
            try await browser.wait(
                "it has not ended",
                "document.getElementById('view').textContent.includes('log out: ') && \(Self.bar).dataset.state === 'stopping'"
            )
            #expect(try await shares(of: anna) == 1)
            try await browser.script("window.away = false; return true")
            try await browser.tap("#logout")
            try await browser.tap("#logout-dialog [data-answer=yes]")
            try await browser.wait("a guest", "campanile.connection.account === null && \(Self.bar).hidden")
            #expect(try await unendedShares(on: server) == 0)
            #expect(
                try await browser.script(
                    "return !Object.keys(localStorage).some((key) => /shares(ToStop)?[.]/.test(key))"))
            try await leave(server, anna, ben)
        }

        @Test("Logging out everywhere ends what was begun on another device; logging out here says that it goes on")
        func logOutEverywhere() async throws {
            let server = try await WebRoot.start()
            let (anna, ben, _) = try await SharingTests.buddies(on: server)
            let browser = anna.browser
            _ = try await anna.connection.call(
                SharingStart.self,
                .init(
                    clientId: UUID().uuidString, audience: .person, account: ben.account, precision: .exact,
                    expiresIn: 3_600))
            try await anna.page.open("/account")
            try await browser.wait(
                "nothing moves any more",
                "document.getElementById('goal-distance') && campanile.sharing.working === 1"
            )
            try await browser.tap("#logout")
            try await browser.wait(
                "it would go on", "document.getElementById('logout-dialog').textContent.includes('That continues')")
            try await browser.tap("#logout-dialog [data-answer=no]")
            try await anna.page.open("/settings/security")
            try await browser.wait(
                "nothing moves any more", "document.querySelector('#devices li') && campanile.sharing.working === 1")
            try await browser.tap("#logout-everywhere")
            try await browser.wait(
                "it ends", "document.getElementById('logout-dialog').textContent.includes('That stops now')")
            try await browser.tap("#logout-dialog [data-answer=yes]")
            try await browser.wait("a guest", "campanile.connection.account === null")
            #expect(try await unendedShares(on: server) == 0)
            try await leave(server, anna, ben)
        }

        private func unendedShares(on server: TestServer) async throws -> Int64 {
            let database = try await server.database()
            defer { database.close() }
            let rows = try await database.query("SELECT count(*) AS count FROM shares WHERE ended_at IS NULL")
            return try #require(try rows.first?.int("count"))
        }
    }
}
