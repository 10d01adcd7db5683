import TestSupport
import Testing

extension WebTracking {
    @Suite("What the console works out by itself")
    struct AdminLogicTests {
        private func run(_ script: String) async throws -> String {
            let page = try await Page.fresh()
            try await page.browser.go(page.origin + "/healthz")
            return try await page.browser.script(
                """
                const check = (what, is, shouldBe) => { if (JSON.stringify(is) !== JSON.stringify(shouldBe)) throw new Error(`${what}: ${JSON.stringify(is)}, not ${JSON.stringify(shouldBe)}`); };
                try { \(script) } catch (error) { return error.stack ?? error.message; } return 'ok';
                """, as: String.self)
        }

        @Test("Every action of the log is a sentence, one of a newer server too, and leads to what is still there")
        func sentences() async throws {
            let result = try await run(
                #"""
                const { sentenceText, pathOf } = await import("/app/admin/sentences.js");
                const entry = (action, kind, name, details = {}, id = 7) => ({ id: 1, at: "2026-05-04T10:00:00.000Z", actor: 1, actorName: "anna", action, subject: { kind, id, name }, details: Object.entries(details).map(([name, value]) => ({ name, value })) });
                const all = [
                  [entry("user.add", "user", "ben", { role: "lecturer", email: "b•••@example.org" }), "anna added ben as Lecturer", "/admin/users/7"],
                  [entry("user.welcome", "user", "ben"), "anna created a new welcome link for ben", "/admin/users/7"],
                  [entry("user.edit", "user", "ben", { username: "ben → benny", role: "student → rewards" }), "anna changed ben: username ben → benny, role Student → Rewards manager", "/admin/users/7"],
                  [entry("user.disable", "user", "ben", { reason: "spam" }), "anna disabled ben: spam", "/admin/users/7"],
                  [entry("user.enable", "user", "ben"), "anna enabled ben again", "/admin/users/7"],
                  [entry("user.signOut", "user", "ben"), "anna logged ben out everywhere", "/admin/users/7"],
                  [entry("user.delete", "user", "ben", { role: "student" }), "anna deleted the account of ben (Student)", null],
                  [entry("place.add", "place", "Oak"), "anna added the place Oak", "/admin/places?place=7"],
                  [entry("place.delete", "place", "Oak"), "anna removed the place Oak", null],
                  [entry("zone.edit", "zone", "Lawn", { shape: "changed" }), "anna changed the zone Lawn and its outline", "/admin/places?zone=7"],
                  [entry("report.close", "report", "ben", { reason: "fake", resolution: "Talked to him" }), "anna closed the report about ben (fake person): Talked to him", "/reports"],
                  [entry("event.cancel", "event", "Run"), "anna cancelled the event Run", "/events/7"],
                  [entry("notice.withdraw", "notice", "Storm"), "anna withdrew the notice Storm", null],
                  [entry("bell.ring", "bell", "Big Ben", { times: "12" }), "anna did “bell.ring” to Big Ben: times 12", null],
                  [{ ...entry("user.add", "user", "ben"), subject: undefined, details: undefined }, "anna added ", null],
                ];
                for (const [one, words, path] of all) { check(words, sentenceText(one), words); check(`path of ${words}`, pathOf(one), path); }
                """#)
            #expect(result == "ok")
        }

        @Test("An outline is read from text and GeoJSON, and told what is wrong with it before it is sent")
        func shapes() async throws {
            let result = try await run(
                #"""
                const { readText, textOf, shapeProblem, polygonOf, pointsOf, areaOf } = await import("/app/map/shape.js");
                const square = [[51.5, 8], [51.5, 8.001], [51.501, 8.001], [51.501, 8]];
                check("text and back", readText(textOf(square)).points, square);
                check("commas, blanks, empty lines, closed", readText(" 51.5 8\n\n51.5;8.001\n51.501 , 8.001\n51.5,8").points, [[51.5, 8], [51.5, 8.001], [51.501, 8.001]]);
                for (const text of ["51.5", "a, b", "91, 8", "51.5, 181", "51,5, 8,0"]) check(`no point: ${text}`, readText(`51.5, 8\n${text}`).problem?.startsWith("Line 2"), true);
                check("GeoJSON and back", pointsOf(polygonOf(square)), { points: square, isWhole: true });
                check("it is closed, longitude first", polygonOf(square).coordinates[0].at(-1), [8, 51.5]);
                check("two parts", pointsOf({ type: "MultiPolygon", coordinates: [polygonOf(square).coordinates, polygonOf(square).coordinates] }).isWhole, false);
                check("a hole", pointsOf({ type: "Polygon", coordinates: [...polygonOf(square).coordinates, ...polygonOf(square).coordinates] }).isWhole, false);
                check("no geometry", pointsOf(null), { points: [], isWhole: false });
                check("111 m by 69 m", Math.round(areaOf(square) / 100), 77);
                check("sound", shapeProblem(square), null);
                check("either way round", shapeProblem([...square].reverse()), null);
                check("two points", shapeProblem(square.slice(0, 2)), "An outline needs at least three points.");
                check("crossing", shapeProblem([square[0], square[2], square[1], square[3]]), "The outline crosses itself. Move or remove a point.");
                check("twice the same", shapeProblem([square[0], square[0], square[1], square[2]])?.startsWith("Two points"), true);
                check("small", shapeProblem(square.map(([lat, lon]) => [51.5 + (lat - 51.5) / 20, 8 + (lon - 8) / 20]))?.includes("The minimum is 5,000 m²"), true);
                check("large", shapeProblem(square.map(([lat, lon]) => [51.5 + (lat - 51.5) * 60, 8 + (lon - 8) * 60]))?.includes("25 km²"), true);
                check("many", shapeProblem(Array.from({ length: 1000 }, (_, turn) => [51.5 + Math.sin(turn / 500 * Math.PI) / 100, 8 + Math.cos(turn / 500 * Math.PI) / 100])), "An outline has at most 999 points.");
                """#)
            #expect(result == "ok")
        }

        @Test("Figures are plain words with their units, and the line of two minutes forgets what is older")
        func figures() async throws {
            let result = try await run(
                #"""
                const { bytes, health, milliseconds, rate, span, sparkline, withSample } = await import("/app/admin/figures.js");
                check("ms", [0.04, 9.96, 12.4, 1000, 61234, NaN].map(milliseconds), ["0.0 ms", "10.0 ms", "12 ms", "1.0 s", "61.2 s", "–"]);
                check("a second", [0, 0.5, 9.5, 58.2, 13481, undefined].map(rate), ["0", "0.5", "9.5", "58", "13,481", "–"]);
                check("bytes", [0, 69754880, 1.4e9, null].map((one) => bytes(one ?? NaN)), ["0 kB", "70 MB", "1.4 GB", "–"]);
                check("how long", [7, 61, 3599, 3600, 172799, 183600].map(span), ["7 s", "1 min", "59 min", "1 h 0 min", "47 h 59 min", "2 days 3 h"]);
                check("health", [1, 20, 100, NaN].map((one) => health(one, { slow: 20, bad: 100 })), ["good", "slow", "bad", "good"]);
                let samples = [];
                for (let at = 0; at <= 240_000; at += 2_000) samples = withSample(samples, at, at / 1_000);
                check("two minutes", [samples.length, samples[0].at, samples.at(-1).at], [61, 120_000, 240_000]);
                const { line, highest } = sparkline(samples, { now: 240_000, width: 100, height: 40 });
                check("highest", highest, 240);
                check("from edge to edge", [line.split(/[ML]/)[1], line.split("L").at(-1)], ["0.0 20.0", "100.0 1.5"]);
                check("nothing yet", sparkline([], { now: 0, width: 100, height: 40 }), { line: "", highest: 0 });
                for (let at = 240_000; at < 241_000; at += 5) samples = withSample(samples, at, 1);
                check("bounded", samples.length, 90);
                """#)
            #expect(result == "ok")
        }
    }
}
