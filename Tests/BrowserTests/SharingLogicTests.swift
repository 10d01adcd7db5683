import TestSupport
import Testing

extension WebSharing {
    @Suite("What the web app knows of sharing")
    struct SharingLogicTests {
        @Test(
            "A position is told once a second on the move, every 30 s at rest, less often in the background, and by the best that found it"
        )
        func reporting() async throws {
            let result = try await Web.logic(
                #"""
                const { dutyOf, isLow, isMoving, reportOf, sourceOf, waitFor } = await import("/app/sharing/reportplan.js");
                const now = 1_000_000;
                const told = { lat: 51.5, lon: 8, at: now - 400 };
                const still = { lat: 51.50001, lon: 8, accuracy: 12, speed: 0, time: now };
                const moving = { ...still, speed: 1.4 };
                check("the first at once", waitFor(still, null, now), 0);
                check("at rest", waitFor(still, told, now), 29_600);
                check("on the move", waitFor(moving, told, now), 600);
                check("a second later", waitFor(moving, told, now + 600), 0);
                check("in the background", waitFor(moving, told, now, { isHidden: true }), 9_600);
                check("with a tired battery", waitFor(moving, told, now, { isSparing: true }), 9_600);
                check("a clock that was put back", waitFor(still, { ...told, at: now + 60_000 }, now), 0);
                check("moved without a speed", isMoving({ lat: 51.5002, lon: 8, accuracy: 12, speed: null }, told), true);
                check("wandered within its accuracy", isMoving({ lat: 51.5002, lon: 8, accuracy: 80, speed: null }, told), false);
                check("sources", [sourceOf(5), sourceOf(49.9), sourceOf(50), sourceOf(900)], ["gps", "gps", "wifi", "wifi"]);
                check("low", [isLow(null), isLow({ level: 0.15, charging: false }), isLow({ level: 0.1, charging: true }), isLow({ level: 0.16, charging: false })], [false, true, false, false]);
                const toServer = (time) => `at ${time}`;
                check("a report", reportOf({ ...moving, heading: 90 }, toServer, now), { lat: 51.50001, lon: 8, accuracy: 12, source: "gps", at: "at 1000000", speed: 1.4, heading: 90 });
                check("no heading at rest", reportOf({ ...still, heading: 90 }, toServer, now), { lat: 51.50001, lon: 8, accuracy: 12, source: "gps", at: "at 1000000", speed: 0 });
                check("an accuracy that the server takes", [reportOf({ ...still, accuracy: 0 }, toServer, now).accuracy, reportOf({ ...still, accuracy: 3e6 }, toServer, now).accuracy], [0.1, 100_000]);
                check("nothing to tell", [reportOf({ lat: NaN, lon: 8, accuracy: 5, time: now }, toServer, now), reportOf(still, toServer, now + 600_001)], [null, null]);
                const all = { isSharing: true, isCounted: false, isRecording: false, isPinned: false, isHere: true, isStopping: false };
                check("duties", [
                  dutyOf(all), dutyOf({ ...all, isSharing: false }), dutyOf({ ...all, isRecording: true }), dutyOf({ ...all, isPinned: true }), dutyOf({ ...all, isHere: false }),
                  dutyOf({ ...all, isStopping: true, isRecording: true }), dutyOf({ ...all, isSharing: false, isCounted: true, isHere: false }),
                  dutyOf({ ...all, isSharing: false, isUnsure: true }), dutyOf({ ...all, isUnsure: true }), dutyOf({ ...all, isSharing: false, isStopping: true }),
                ], ["tell", "off", "tracking", "pinned", "elsewhere", "stopping", "tell", "unsure", "tell", "stopping"]);
                """#)
            #expect(result == "ok")
        }

        @Test(
            "Words: the ladder is never exact by itself, ends are said with their day, old positions fade, nothing is said of hidden ones"
        )
        func words() async throws {
            let result = try await Web.logic(
                #"""
                const words = await import("/app/sharing/words.js");
                const at = (text) => new Date(`2026-05-04T${text}`).getTime();
                check("four rungs", words.rungs.map(({ value }) => value), ["exact", "building", "zone", "campus"]);
                check("not exact by itself", [words.rungDefault, words.rungs.every(({ name, sees }) => name && sees)], ["building", true]);
                check("durations", words.durations(at("14:00")).map(({ id, seconds }) => [id, seconds]), [["15m", 900], ["1h", 3600], ["evening", 21_600], ["8h", 28_800], ["24h", 86_400]]);
                check("no evening in the evening", words.durations(at("19:45")).map(({ id }) => id), ["15m", "1h", "8h", "24h"]);
                check("never more than a day", words.durations(at("20:30")).every(({ seconds }) => seconds >= 60 && seconds <= words.shareSecondsMax), true);
                check("today", words.untilText(at("18:05"), at("14:00")), "until 18:05");
                check("tomorrow", words.untilText(at("14:00") + 18 * 3600_000, at("14:00")), "until tomorrow, 08:00");
                check("fades", [0, 60, 480, 900, 5_000].map(words.fade), [1, 1, 0.725, 0.45, 0.45]);
                const place = { kind: "building", id: 1, name: "Weaver Library" };
                check("places", [
                  words.placeText({ state: "live", precision: "exact", location: { accuracy: 11.6, lat: 1, lon: 1 } }), words.placeText({ state: "live", precision: "exact", location: { accuracy: 1_440 } }),
                  words.placeText({ state: "old", precision: "building", location: { place } }), words.placeText({ state: "live", precision: "building", location: { onCampus: true } }),
                  words.placeText({ state: "live", precision: "campus", location: { onCampus: false } }), words.placeText({ state: "hidden", precision: "exact", location: null }),
                  words.placeText({ state: "none", precision: "zone", location: null }),
                ], ["Within 12 m", "Within 1.4 km", "Weaver Library", "On campus", "Not on campus", "Hidden right now", "No location right now"]);
                check("ages", [words.ageText({ state: "live", location: {} }, 20), words.ageText({ state: "old", location: {} }, 240), words.ageText({ state: "hidden", location: null }, 20)], ["20 s ago", "last seen 4 min ago", ""]);
                const share = (audience, more = {}) => ({ audience, ...more });
                check("the bar", [
                  words.barText([share("person", { person: { name: "Ben" } })]), words.barText([share("group", { groupName: "Morning runners" })]), words.barText([share("campus")]), words.barText([share("link")]),
                  words.barText([share("link"), share("campus"), share("link")]),
                ], ["Sharing with Ben", "Sharing with Morning runners", "Sharing with everyone", "Sharing by a link", "Sharing in 3 ways"]);
                check("who watches", [
                  words.watchingText([share("person", { watching: 0 })]), words.watchingText([share("person", { watching: 2 }), share("link", { watching: 1 })]), words.watchingText([share("campus", { watching: 0 })]), words.watchingText([share("campus", { watching: 0 }), share("link", { watching: 2 })]),
                ], ["nobody is watching", "3 watching", "everyone logged in can see you", "everyone logged in can see you · 2 watching"]);
                const watched = (line, isOver = false) => { const given = { times: 1, last: line.from, to: null, atLatest: false, ...line }; return [words.watchedText(given, at("20:00")), words.isLooking(given, isOver)]; };
                check("lines of a receipt", [
                  watched({ from: at("10:02"), atLatest: true }), watched({ from: at("10:02"), to: at("17:00"), atLatest: true }, true), watched({ from: at("10:02"), to: at("10:05") }), watched({ from: at("10:02") }),
                  watched({ from: at("10:00"), last: at("18:00"), to: at("18:05"), times: 3 }), watched({ from: at("10:00"), last: at("18:00"), times: 2 }), watched({ from: at("10:00") - 86_400_000, to: at("10:05") - 86_400_000 }),
                ], [
                  ["first 10:02", false], ["first 10:02, until 17:00 at the latest", false], ["10:02 to 10:05", false], ["since 10:02", true],
                  ["3 times, first 10:00, last 18:00 to 18:05", false], ["2 times, first 10:00, last since 18:00", true], ["yesterday, 10:00 to 10:05", false],
                ]);
                const day = 86_400_000, [early, late] = [at("10:02:10"), at("10:02:50")];
                check("within a minute", [
                  watched({ from: early, to: late }), watched({ from: at("09:00"), last: early, to: late, times: 3 }), watched({ from: early, last: early + 20_000, to: late, times: 2 }), watched({ from: early - day, to: late - day }),
                ], [["10:02", false], ["3 times, first 09:00, last 10:02", false], ["2 times, 10:02", false], ["yesterday, 10:02", false]]);
                check("what is seen", [words.seesText("zone"), words.seesText("exact", { isPast: true }), words.seesText("campus"), words.seesText("campus", { isPast: true })],
                  ["sees your zone", "saw your exact location", "sees whether you are on campus", "saw whether you were on campus"]);
                const { initials } = await import("/app/kit/person.js");
                check("initials", ["Ben Castro", "anna", "  ", "Jean Luc Godard", "🐢 turtle"].map(initials), ["BC", "A", "?", "JG", "🐢T"]);
                """#)
            #expect(result == "ok")
        }

        @Test(
            "A board forgets a point with closed, at its end by its own clock, and offline after a quarter of an hour; a person is there once, as exactly as they are known"
        )
        func board() async throws {
            let result = try await Web.logic(
                #"""
                const { Board, byPlace, keptMilliseconds } = await import("/app/sharing/board.js");
                const now = Date.parse("2026-05-04T10:00:00Z");
                const iso = (ms) => new Date(now + ms).toISOString();
                const person = (account, name) => ({ account, name, username: name });
                const snapshot = (account, precision, location, end = 3_600_000) => ({ share: { person: person(account, `p${account}`), audience: "person", precision, expiresAt: iso(end) }, state: location ? "live" : "none", location });
                const here = { lat: 51.5, lon: 8, accuracy: 9, at: iso(0) };
                const names = (board, options) => board.entries(options).map(({ share, person, state, location }) => [share, person.account, state, location?.lat ?? null]);
                const board = new Board();
                board.snapshot(1, snapshot(21, "exact", here), now);
                check("a point", names(board), [[1, 21, "live", 51.5]]);
                board.push(1, { type: "location", state: "hidden" }, now);
                check("what is missing in a push is gone", names(board), [[1, 21, "hidden", null]]);
                board.push(1, { type: "location", state: "old", location: { ...here, lat: 51.6 }, precision: "building", expiresAt: iso(60_000) }, now);
                check("another precision", board.entries()[0].precision, "building");
                check("watching is no news of the place", [board.push(1, { type: "watching", watching: 3 }, now), names(board)], [true, [[1, 21, "old", 51.6]]]);
                check("closed", [board.push(1, { type: "closed" }, now), names(board)], [false, []]);
                check("and nothing comes back", [board.push(1, { type: "location", state: "live", location: here }, now), names(board)], [true, []]);

                board.snapshot(2, snapshot(22, "exact", here, 60_000), now);
                check("before its end", [board.prune(now + 59_999, true), board.entries().length], [false, 1]);
                check("at its end", [board.prune(now + 60_000, true), board.entries().length], [true, 0]);

                board.snapshot(3, snapshot(23, "exact", here), now);
                board.cell("people/1/1", { people: [{ share: 9, person: person(24, "p24"), precision: "exact", state: "live", location: here }], more: 4 }, now);
                check("with a network it waits for the server", board.prune(now + keptMilliseconds, true), false);
                check("offline", [board.prune(now + keptMilliseconds, false), names(board)], [true, [[3, 23, "none", null]]]);

                board.cell("people/1/1", { people: [9, 10].map((id) => ({ share: id, person: person(id === 9 ? 24 : 23, `p${id}`), precision: "exact", state: "live", location: here })), full: true }, now);
                check("once each, with a position rather than without", names(board), [[10, 23, "live", 51.5], [9, 24, "live", 51.5]]);
                check("not oneself, not those hidden", names(board, { me: 24, hidden: new Set([10]) }), [[3, 23, "none", null]]);
                board.cell("people/1/1", { people: [], left: [10] }, now);
                check("left", names(board), [[3, 23, "none", null], [9, 24, "live", 51.5]]);
                board.knowEnds([{ id: 9, expiresAt: iso(1_000) }]);
                check("ends of those on the map", [board.prune(now + 1_000, false), names(board)], [true, [[3, 23, "none", null]]]);
                board.cell("people/1/2", { people: [{ share: 11, person: person(25, "p25"), precision: "zone", state: "live", location: here }] }, now);
                board.dropCell("people/1/2");
                check("a cell out of view", names(board), [[3, 23, "none", null]]);

                const library = { lat: 51.5, lon: 8, accuracy: 40, place: { kind: "building", id: 5, name: "Library" } };
                const entry = (share, precision, location) => ({ share, precision, location });
                check("by place", byPlace([entry(1, "building", library), entry(2, "exact", here), entry(3, "building", library), entry(4, "exact", here), entry(5, "campus", { onCampus: true }), entry(6, "exact", null)])
                  .map(({ isExact, entries }) => [isExact, entries.map(({ share }) => share)]), [[false, [1, 3]], [true, [2]], [true, [4]]]);
                """#)
            #expect(result == "ok")
        }

        @Test(
            "The cells of people in view are those of the server, those in the middle first, and never more than twelve"
        )
        func cells() async throws {
            let result = try await Web.logic(
                #"""
                const { cellsMax, peopleTopic, peopleTopics } = await import("/app/sharing/board.js");
                check("as the server names it", peopleTopic(51.5, 8), "people/34224/21794");
                check("one", peopleTopics([51.4999, 7.9999, 51.5, 8]), { topics: ["people/34224/21794"], isWhole: true });
                const wide = peopleTopics([51.4, 7.9, 51.6, 8.1]);
                check("at most twelve, and it says so", [wide.topics.length, wide.isWhole, new Set(wide.topics).size], [cellsMax, false, cellsMax]);
                check("with the middle", wide.topics.includes(peopleTopic(51.5, 8)), true);
                const world = peopleTopics([-90, -180, 90, 180]);
                check("the world", [world.topics.length, world.isWhole], [cellsMax, false]);
                """#)
            #expect(result == "ok")
        }
    }
}
