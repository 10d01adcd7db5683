import TestSupport
import Testing

extension WebEvents {
    @Suite("What the web app knows of events")
    struct EventLogicTests {
        @Test("Times are said as people say them: days, lengths, how long until, over midnight and over days")
        func times() async throws {
            let result = try await Web.logic(
                #"""
                const { dayHeading, lengthOf, phaseOf, spanOf, timeOf, fieldsOf, untilOf } = await import("/app/events/times.js");
                const now = new Date(2026, 4, 4, 14, 0).getTime();
                const event = (start, duration = 3600) => ({ details: { startsAt: new Date(start).toISOString(), duration } });
                const at = (...parts) => new Date(2026, 4, ...parts).getTime();
                check("today", dayHeading(at(4, 23, 59), now), { key: "Monday, 4 May", title: "Today", date: "Monday, 4 May" });
                check("tomorrow", dayHeading(at(5, 0, 0), now).title, "Tomorrow");
                check("later", dayHeading(at(7, 9), now), { key: "Thursday, 7 May", title: "Thursday, 7 May", date: "" });
                check("next year", dayHeading(new Date(2027, 0, 1).getTime(), now).title, "Friday, 1 January 2027");
                check("began before today", dayHeading(at(3, 23), now).title, "Now");
                check("a day", spanOf(event(at(4, 18), 5400), now), "Monday, 4 May, 18:00–19:30");
                check("over midnight", spanOf(event(at(4, 23), 7200), now), "Monday, 4 May, 23:00 to Tuesday, 5 May, 01:00");
                check("lengths", [300, 2700, 5400, 86400, 180000].map(lengthOf), ["5 min", "45 min", "1 h 30 min", "1 day", "2 days 2 h"]);
                check("until", [at(4, 14, 0, 30), at(4, 14, 25), at(4, 17), at(5, 13), at(9, 13), at(4, 13, 50), at(4, 12), at(2, 9)].map((start) => untilOf(event(start), now)),
                  ["in less than a minute", "in 25 minutes", "in 3 hours", "tomorrow", "in 5 days", "began 10 minutes ago", "ended 60 minutes ago", "ended 2 days ago"]);
                check("phases", [at(4, 15), at(4, 13, 30), at(4, 13)].map((start) => phaseOf(event(start), now)), ["coming", "now", "over"]);
                check("there and back", timeOf(...Object.values(fieldsOf(at(9, 7, 5)))), at(9, 7, 5));
                check("no day", [timeOf("", "10:00"), timeOf("2026-05-04", "")], [null, null]);
                """#)
            #expect(result == "ok")
        }

        @Test("A form's values become what is sent and come back as they were; what is wrong is named by its field")
        func form() async throws {
            let result = try await Web.logic(
                #"""
                const { detailsOf, emptyValues, eventProblems, sameDetails, valuesOf } = await import("/app/events/formvalues.js");
                const now = new Date(2026, 4, 4, 14, 0).getTime();
                const empty = emptyValues(now);
                check("a new one", [empty.date, empty.time, empty.audience], ["2026-05-04", "15:00", "private"]);
                check("what is missing", eventProblems(empty, now), { title: "Enter a title.", place: "Enter a place." });
                const full = { ...empty, title: " Run ", workout: "running", date: "2026-05-05", time: "18:30", length: "other", hours: "1", minutes: "15", place: "Track", position: { lat: 51.5, lon: 8 }, capacity: "4", description: "Slow." };
                check("nothing is wrong", eventProblems(full, now), {});
                const details = detailsOf(full);
                check("what is sent", details, { title: "Run", description: "Slow.", workout: "running", startsAt: new Date(2026, 4, 5, 18, 30).toISOString(), duration: 4500, place: { name: "Track", lat: 51.5, lon: 8 }, capacity: 4 });
                check("and back", { ...valuesOf({ audience: "private", details }) }, { ...full, title: "Run" });
                check("a length to choose", valuesOf({ audience: "public", details: { ...details, duration: 5400 } }).length, "90");
                check("the same", [sameDetails(details, { ...details, place: { ...details.place, zone: 3 } }), sameDetails(details, { ...details, capacity: undefined })], [true, false]);
                const wrong = (part) => Object.keys(eventProblems({ ...full, ...part }, now));
                check("fields", [{ date: "2026-05-03" }, { date: "" }, { time: "" }, { date: "2029-05-03" }, { minutes: "x" }, { hours: "400" }, { hours: "0", minutes: "4" }, { capacity: "0" }, { capacity: "2.5" }, { title: "é".repeat(121) }, { description: "😀".repeat(2000) }, { description: "😀".repeat(2001) }].map(wrong),
                  [["date"], ["date"], ["time"], ["date"], ["length"], ["length"], ["length"], ["capacity"], ["capacity"], ["title"], [], ["description"]]);
                """#)
            #expect(result == "ok")
        }

        @Test("An answer's likely outcome is counted: places, the waiting list, and back")
        func answers() async throws {
            let result = try await Web.logic(
                #"""
                const { answered, placesText } = await import("/app/events/words.js");
                const event = (more, mine = {}) => ({ going: 1, maybe: 2, waiting: 0, details: { capacity: 2 }, ...more, mine: { saved: false, ...mine } });
                const counts = ({ going, maybe, waiting, mine: { answer, queue } }) => [going, maybe, waiting, answer ?? null, queue ?? null];
                check("a place", counts(answered(event({}), "going")), [2, 2, 0, "going", null]);
                check("full", counts(answered(event({ going: 2, waiting: 1 }), "going")), [2, 2, 2, "going", 2]);
                check("no limit", counts(answered(event({ going: 2, details: {} }), "going")), [3, 2, 0, "going", null]);
                check("gives the place back", counts(answered(event({}, { answer: "going" }), "no")), [0, 2, 0, "no", null]);
                check("waits no more", counts(answered(event({ going: 2, waiting: 3 }, { answer: "going", queue: 2 }), "maybe")), [2, 3, 2, "maybe", null]);
                check("the same again", counts(answered(event({}, { answer: "maybe" }), "maybe")), [1, 2, 0, "maybe", null]);
                check("taken back", counts(answered(event({}, { answer: "maybe" }), null)), [1, 1, 0, null, null]);
                check("words", [event({}), event({ going: 2 }), event({ going: 2, waiting: 3 }), event({ going: 0, details: {} })].map(placesText), ["1 of 2 spots taken", "Full", "Full, 3 waiting", "Nobody is going yet"]);
                """#)
            #expect(result == "ok")
        }

        @Test("News that is told twice is told once, the last that matters first, and moving up again is news again")
        func news() async throws {
            let result = try await Web.logic(
                #"""
                const { Events } = await import("/app/events/store.js");
                let event = { id: 7, state: "published", revision: 1, details: { title: "Run" }, mine: { saved: false, answer: "going" } };
                let asked = 0;
                class Net extends EventTarget {
                  state = "live"; account = { id: 1 };
                  writes = Object.assign(new EventTarget(), { waiting: [], find: () => null, write: (method, params) => this.request(method, params) });
                  async request(method) { await null; if (method === "events.get") asked += 1; return method === "events.list" ? { events: [] } : event; }
                  subscribe(topic, handlers) { this.handlers = handlers; this.topic = topic; return { close() {} }; }
                }
                const net = new Net();
                const events = new Events(net);
                check("its own topic", net.topic, "user/1");
                const told = [];
                events.addEventListener("news", ({ detail }) => told.push([detail.news, detail.event.revision]));
                const tell = async (...news) => {
                  const before = asked;
                  for (const one of news) net.handlers.push({ type: "event", event: 7, news: one });
                  await until("it asked", () => asked > before);
                  await new Promise((done) => setTimeout(done, 20));
                };
                await tell("changed", "changed");
                check("once", [told, asked], [[["changed", 1]], 1]);
                await tell("changed");
                check("of the same revision no more", told.length, 1);
                event = { ...event, revision: 2 };
                await tell("changed", "movedUp", "changed");
                check("what matters most", told[1], ["movedUp", 2]);
                await tell("movedUp");
                check("again", told.length, 2);
                event = { ...event, mine: { ...event.mine, queue: 1 } };
                await events.answer(7, "going");
                event = { ...event, mine: { ...event.mine, queue: undefined } };
                await tell("movedUp");
                check("after waiting again", told.length, 3);
                """#)
            #expect(result == "ok")
        }
    }
}
