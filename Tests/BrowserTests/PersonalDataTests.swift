import CampanileClient
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

extension WebAccounts {
    @Suite("One's own data: files to take away, and the end of an account")
    struct PersonalDataTests {
        @Test("The exports are saved as files: JSON that holds the account, and GPX")
        func exports() async throws {
            let page = try await Page.fresh()
            let (connection, account) = try await page.signIn()
            let directory = try TestDirectory.make("downloads")
            try await page.browser.cdp(
                "Browser.setDownloadBehavior", ["behavior": "allow", "downloadPath": directory])
            try await page.open("/settings/data")
            try await page.browser.click("#export-json")
            try await page.browser.wait(
                "saved", "document.getElementById('export-status').textContent.startsWith('Saved campanile-data.json')")
            let json = try await Browser.saved("campanile-data.json", in: directory)
            let data = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
            let kinds = try #require(data["kinds"] as? [String: [[String: Any]]])
            #expect(kinds["account"]?.first?["username"] as? String == account.account.username)
            try await page.browser.click("#export-gpx")
            try await page.browser.wait(
                "saved", "document.getElementById('export-status').textContent === 'Saved your routes in 1 file.'")
            #expect(
                String(decoding: try await Browser.saved("campanile-tracks.gpx", in: directory), as: UTF8.self)
                    .contains("<gpx"))
            try await page.expectQuietConsole(except: ["favicon.ico"])
            await connection.close()
        }

        @Test("Every kind of data that is kept of somebody has words of its own")
        func words() async throws {
            let page = try await Page.fresh()
            let (connection, _) = try await page.signIn()
            let kinds = try await connection.call(AccountData.self).kept.map(\.kind)
            let list = String(decoding: try JSONEncoder().encode(kinds), as: UTF8.self)
            let result = try await Web.logic(
                """
                const { kinds } = await import("/app/privacy/words.js");
                check("without words", \(list).filter((kind) => !kinds[kind]?.label), []);
                check("of nothing", Object.keys(kinds).filter((kind) => !\(list).includes(kind)), []);
                """)
            #expect(kinds.count > 30 && result == "ok")
            await connection.close()
        }

        @Test(
            "Tracks of several files are fetched one after the other as each names the next; a busy server is asked again, what breaks is said, and no other address is followed"
        )
        func files() async throws {
            let result = try await Web.logic(
                #"""
                const { ExportError, exportTracks, nextOf } = await import("/app/privacy/exporting.js");
                check("next", [nextOf('</account/tracks.gpx?after=12>; rel="next"'), nextOf(null), nextOf('<https://elsewhere.example/account/tracks.gpx?after=1>; rel="next"'), nextOf('</account/data.json>; rel="next"'), nextOf('</account/tracks.gpx?after=12.50000>; rel="next"'), nextOf('</account/data.json?after=messages.100000>; rel="next"')],
                  ["/account/tracks.gpx?after=12", null, null, null, "/account/tracks.gpx?after=12.50000", "/account/data.json?after=messages.100000"]);
                const asked = [], saved = [], told = [];
                HTMLAnchorElement.prototype.click = function () { saved.push(this.download); };
                const reply = (status, headers = {}, body = "<gpx/>") => new Response(body, { status, headers });
                let replies = [reply(200, { Link: '</account/tracks.gpx?after=7>; rel="next"' }), reply(429, { "Retry-After": "1" }, "{}"), reply(503, { "Retry-After": "1" }, "{}"), reply(200, { Link: '</account/tracks.gpx?after=9>; rel="next"' }), reply(200)];
                window.fetch = async (path, { headers }) => { asked.push(path); check("a token", headers.Authorization, "Bearer abc"); const next = replies.shift(); if (!next) throw new TypeError("no network"); return next; };
                const given = { token: "abc", progress: (text) => told.push(text) };
                check("files", (await exportTracks(given)).files, 3);
                check("asked", asked, ["/account/tracks.gpx", "/account/tracks.gpx?after=7", "/account/tracks.gpx?after=7", "/account/tracks.gpx?after=7", "/account/tracks.gpx?after=9"]);
                check("saved", saved, ["campanile-tracks-1.gpx", "campanile-tracks-2.gpx", "campanile-tracks-3.gpx"]);
                check("it waits", told.some((text) => text.includes("busy")), true);
                const failure = async () => { try { await exportTracks(given); } catch (error) { return [error instanceof ExportError, error.message]; } };
                check("no network", await failure(), [true, "Couldn't reach the server. Check your connection and try again."]);
                replies = [reply(400, {}, JSON.stringify({ error: { code: 1, message: "there is more of you than a file holds" } }))];
                check("a refusal", await failure(), [true, "There is more of you than a file holds."]);
                """#)
            #expect(result == "ok")
        }

        @Test(
            "Deleting the account takes its name and its password; then it is gone from the server, the browser is logged out and says so, and keeps nothing of it, but what waits of another account"
        )
        func deletes() async throws {
            let (_, page) = try await Page.pair()
            let (connection, signedIn) = try await page.signIn()
            let (account, browser) = (signedIn.account, page.browser)
            let person = Person(page: page, connection: connection, account: account.id)
            try await page.open("/settings/data")
            try await browser.wait("what stays", "document.getElementById('what-stays')")
            let stays = try await browser.text("document.getElementById('what-stays').textContent")
            for words in ["title and time", "Names of groups", "Your account number", "Copies in backups"] {
                #expect(stays.contains(words), "\(words)")
            }
            try await browser.script("document.getElementById('end').scrollIntoView(); return true")
            try await browser.shots("privacy-6-end-desktop")
            try await browser.script(
                """
                localStorage.setItem('campanile.draft.\(account.id).1', '{"text":"secret words"}');
                const outbox = await new (await import('/app/connection/outbox.js')).Outbox().open();
                for (const account of [\(account.id), 0]) await outbox.save({ clientId: `run-${account}`, account }, { clientId: `run-${account}`, account, kind: 'point' });
                const chatOutbox = new (await import('/app/chat/outbox.js')).ChatOutbox();
                await chatOutbox.put({ id: 'waits', order: 1, account: \(account.id), conversation: 1, text: 'secret words' });
                await chatOutbox.put({ id: 'waits too', order: 1, account: 0, conversation: 1, text: 'words of another account' });
                localStorage.setItem('campanile.sharesToStop.\(account.id)', '[3]');
                localStorage.setItem('campanile.sharesToStop.0', '["all"]');
                return true;
                """)
            try await browser.click("#delete-open")
            try await person.expectDialog("#delete-account")
            try await browser.click("#delete-open")
            try await browser.type("somebodyelse", into: "#delete-username")
            try await browser.type("Wrong1234", into: "#delete-password")
            try await browser.click("#delete-form-submit")
            try await browser.wait(
                "another name",
                "document.querySelector('#delete-account [data-problem=username]').textContent.includes('not your username')"
            )
            try await browser.type(account.username, into: "#delete-username")
            try await browser.click("#delete-form-submit")
            try await browser.wait(
                "another password",
                "document.querySelector('#delete-account [data-problem=password]').textContent === 'That is not your password: type it again.'"
            )
            try await browser.shots("privacy-7-delete-desktop")
            try await browser.type(TestServer.password, into: "#delete-password")
            try await browser.click("#delete-form-submit")
            try await browser.wait(
                "farewell",
                "location.pathname === '/account/deleted' && document.getElementById('farewell-text').textContent.startsWith('Your account is deleted, and its data is gone')"
            )
            try await browser.shots("privacy-8-farewell-desktop")
            try await page.live()
            #expect(try await browser.script("return campanile.connection.account === null"))
            #expect(try await browser.traces(of: account) == [])
            #expect(
                try await browser.text(
                    "JSON.stringify((await (await new (await import('/app/connection/outbox.js')).Outbox().open()).sessions()).map(({ clientId }) => clientId))"
                ) == "[\"run-0\"]")
            #expect(
                try await browser.text(
                    "JSON.stringify((await new (await import('/app/chat/outbox.js')).ChatOutbox().entries(0)).map(({ id }) => id))"
                ) == "[\"waits too\"]")
            #expect(
                try await browser.text(
                    "Object.entries(localStorage).filter(([key]) => key.includes('sharesToStop')).join()"
                ) == "campanile.sharesToStop.0,[\"all\"]")
            let database = try await page.server.database()
            defer { database.close() }
            let rows = try await database.query("SELECT FROM accounts WHERE id = $1", [.int(account.id)])
            #expect(rows.first == nil)
            await connection.close()
            try await page.expectQuietConsole(except: ["favicon.ico"])
        }

        @Test(
            "Another browser of a deleted account says that it was deleted, not by whom, and keeps nothing of it, not even a run that was not sent"
        )
        func deletedElsewhere() async throws {
            let page = try await Page.fresh()
            let (connection, signedIn) = try await page.signIn()
            let (account, browser) = (signedIn.account, page.browser)
            try await page.open("/events")
            try await browser.script(
                """
                const outbox = await new (await import('/app/connection/outbox.js')).Outbox().open();
                await outbox.save({ clientId: 'run', account: \(account.id), state: 'running' }, { clientId: 'run', account: \(account.id), kind: 'point' });
                localStorage.setItem('campanile.draft.\(account.id).1', '{"text":"secret words"}');
                return true;
                """)
            let other = try await page.server.connect(token: signedIn.token)
            _ = try await other.call(
                AccountDelete.self, .init(password: TestServer.password, username: account.username))
            try await browser.wait(
                "it is said",
                "document.getElementById('toasts').textContent.startsWith('This account was deleted. If that wasn\\'t you, ask a campus admin.')"
            )
            _ = try await eventually("nothing is left") {
                try await browser.traces(of: account).isEmpty ? true : nil
            }
            for one in [connection, other] { await one.close() }
        }

        @Test(
            "A server whose database was away just then is asked once more whether the account is deleted; without a clear answer the form says so, and who is logged out then is told farewell"
        )
        func deletesLate() async throws {
            let page = try await Page.fresh()
            let (connection, signedIn) = try await page.signIn()
            let browser = page.browser
            try await page.open("/settings/data")
            try await browser.script(
                """
                window.away = 2;
                const send = WebSocket.prototype.send;
                WebSocket.prototype.send = function (data) {
                  const { id, method } = typeof data === 'string' ? JSON.parse(data) : {};
                  if (method !== 'account.delete' || window.away === 0) return send.call(this, data);
                  window.away -= 1;
                  const error = { code: 1006, message: 'the database is away', data: { name: 'unavailable', retryAfter: 0.01 } };
                  setTimeout(() => this.onmessage({ data: JSON.stringify({ jsonrpc: '2.0', id, error }) }), 5);
                };
                return true;
                """)
            try await browser.click("#delete-open")
            try await browser.type(signedIn.account.username, into: "#delete-username")
            try await browser.type(TestServer.password, into: "#delete-password")
            try await browser.click("#delete-form-submit")
            try await browser.wait(
                "no clear answer",
                "window.away === 0 && document.getElementById('delete-form').textContent.includes('confirmed this yet')"
            )
            try await browser.script("window.away = 1; return true")
            try await browser.click("#delete-form-submit")
            try await browser.wait(
                "farewell",
                "document.getElementById('farewell-text').textContent.startsWith('Your account is deleted')")
            await connection.close()
        }
    }
}
