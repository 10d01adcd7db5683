import TestSupport
import Testing

extension WebTracking {
    @Suite("Pace, splits and the silence of a connection, as the web app works them out")
    struct RecordingLogicTests {
        @Test(
            "Runs have a pace and rides a speed unless the reader chose a unit, and hardly any speed is no pace; dates are in English, the first that the reader has, with the reader's hours"
        )
        func units() async throws {
            let result = try await Web.logic(
                """
                const { chooseUnit, pace, speedParts, speedText, unitChoice } = await import("/app/kit/units.js");
                check("by activity", [speedText(2.9762, "run"), speedText(5.95, "cycle")], ["5:36 min/km", "21.4 km/h"]);
                check("chosen", ["pace", "kmh", "ms"].map((choice) => speedText(5, "run", choice)), ["3:20 min/km", "18.0 km/h", "5.00 m/s"]);
                check("slow", [pace(0), pace(0.2), pace(NaN), pace(1000 / 3599.6), speedText(0, "cycle"), speedText(-1, "run", "ms")],
                  ["–", "–", "–", "60:00", "0.0 km/h", "0.00 m/s"]);
                check("a minute is not 60 seconds", pace(1000 / 299.7), "5:00");
                check("not known", [speedParts(null, "run").value, speedParts(null, "cycle").value, speedParts(undefined, "run", "ms").value], ["–", "–", "–"]);
                check("short", [speedParts(2.9762, "run").short, speedParts(5.95, "cycle").short], ["5:36/km", "21.4 km/h"]);
                check("labels", [speedParts(3, "run").label, speedParts(3, "cycle").label], ["Pace", "Speed"]);
                check("kept", [unitChoice(), (chooseUnit("ms"), unitChoice()), speedText(3, "run"), (chooseUnit("furlongs"), unitChoice())], ["auto", "ms", "3.00 m/s", "auto"]);
                localStorage.removeItem("campanile.speedUnit");
                const { dateFormats, dateStyle, dayText, momentText, monthFirst } = await import("/app/kit/format.js");
                const day = new Date(2026, 10, 3, 12).getTime();
                check("dates", [dayText(day), monthFirst(day), momentText(day).startsWith("3 Nov 2026, ")], ["3 Nov 2026", "Nov 3, 2026", true]);
                const style = (...languages) => { const { language, has24Hours } = dateStyle(languages); return `${language} ${has24Hours}`; };
                check("styles", [style("de-DE", "en-US"), style("fr"), style("en-US", "de"), style("no language", "*", "x-!", "ja"), style("ar-EG", "en-AU")],
                  ["en-US true", "en-GB true", "en-US false", "en-GB true", "en-AU false"]);
                check("no languages", dateStyle(undefined).language, "en-GB");
                const { date, dateAndYear, time } = dateFormats({ language: "en-US", has24Hours: true });
                check("with 24 hours", [date(day + 6 * 3_600_000), dateAndYear(day), time(day + 6 * 3_600_000)], ["November 3", "November 3, 2026", "18:00"]);
                check("with 12", dateFormats({ language: "en-US", has24Hours: false }).time(day + 6 * 3_600_000).replace(/\\s/, " "), "6:00 PM");
                """)
            #expect(result == "ok")
        }

        @Test(
            "The pace of now is that of the last 20 s, begins anew after a pause, and is not known when nothing comes")
        func recent() async throws {
            let result = try await Web.logic(
                """
                const { RecentSpeed } = await import("/app/tracking/recentspeed.js");
                const recent = new RecentSpeed();
                check("nothing", recent.at(0), null);
                for (let second = 0; second <= 5; second += 1) recent.add(second * 1000, second * 3);
                check("too short", recent.at(5_000), null);
                for (let second = 6; second <= 60; second += 1) recent.add(second * 1000, second * 3);
                check("steady", recent.at(60_000), 3);
                for (let second = 61; second <= 90; second += 1) recent.add(second * 1000, 180);
                check("standing", recent.at(90_000), 0);
                check("silent", recent.at(101_000), null);
                recent.clear();
                for (let second = 200; second <= 230; second += 1) recent.add(second * 1000, second <= 215 || second >= 224 ? second * 3 : 645, second <= 215 || second >= 224 ? 5 : 80);
                check("inexact fixes in between", recent.at(230_000), 3);
                for (let second = 231; second <= 236; second += 1) recent.add(second * 1000, 690, 80);
                check("inexact fixes at the end", recent.at(236_000), 3);
                recent.clear();
                check("cleared", recent.at(90_000), null);
                const { lastKilometreSpeed, newRecording, takeFix, unknownKilometres } = await import("/app/tracking/recording.js");
                const record = newRecording({ clientId: "a", account: 1, activity: "run", title: "t", audience: "private", startedAt: 0 });
                check("none yet", lastKilometreSpeed(record), null);
                for (let second = 0; second <= 700; second += 1) takeFix(record, { lat: second * 4.002 / 111_320, lon: 0, accuracy: 5 }, second * 1000);
                check("two marks", record.kilometres, [250, 500]);
                check("last km", lastKilometreSpeed(record), 4);
                check("begun elsewhere", [unknownKilometres(2_500), lastKilometreSpeed({ kilometres: [null, null] }), lastKilometreSpeed({ kilometres: [null, 600] })], [[null, null], null, null]);
                """)
            #expect(result == "ok")
        }

        @Test(
            "A silent connection is asked after 4 s, doubtful 2.5 s later and lost after 10 s; whatever comes makes it live again, and a slow network gets more time"
        )
        func liveness() async throws {
            let result = try await Web.logic(
                """
                const { Liveness } = await import("/app/client/liveness.js");
                const fresh = () => { const one = new Liveness(); one.opened(0); return one; };
                /** What is done in which second, from `from` until `to`. */
                const run = (one, from, to, isVisible = true) => {
                  const done = [];
                  for (let now = from; now <= to; now += 500) { const action = one.step(now, isVisible); if (action) done.push(`${action} ${now}`); }
                  return done;
                };
                check("silence", run(fresh(), 0, 14_000), ["ask 4000", "doubt 6500", "drop 14000"]);
                const hidden = fresh();
                check("hidden", run(hidden, 0, 19_500, false), []);
                check("hidden, later", run(hidden, 20_000, 22_500, false), ["ask 20000", "doubt 22500"]);
                const busy = fresh();
                for (let now = 0; now < 60_000; now += 1000) { busy.heard(now); check("a busy map asks nothing", busy.step(now, true), null); }
                const back = fresh();
                run(back, 0, 7_000);
                check("doubtful", [back.state, back.heard(7_500), back.state, back.heard(7_600)], ["doubtful", true, "quiet", false]);
                check("and so on", run(back, 7_600, 14_500), ["ask 11600", "doubt 14100"]);
                const slow = fresh();
                slow.answered(1_100);
                check("slow", run(slow, 0, 9_000), ["ask 4000", "doubt 8500"]);
                slow.answered(60_000);
                slow.heard(20_000);
                check("at most 5 s", run(slow, 20_000, 29_000), ["ask 24000", "doubt 29000"]);
                const told = fresh();
                told.asked(1_000, true);
                check("the browser reports it", [told.state, run(told, 1_000, 11_000)], ["doubtful", ["drop 11000"]]);
                const woken = fresh();
                check("a device that wakes up", [run(woken, 3_600_000, 3_610_000), woken.heard(3_611_000)], [["doubt 3600000", "drop 3610000"], true]);
                const shut = fresh();
                shut.closed();
                check("closed", [run(shut, 0, 60_000), shut.heard(1), shut.state], [[], false, "closed"]);
                """)
            #expect(result == "ok")
        }

        @Test("What is said of a runner and of the connection is true while nothing is heard")
        func words() async throws {
            let result = try await Web.logic(
                """
                const { connectionText, shownState, stateText } = await import("/app/kit/livestate.js");
                check("runners", ["moving", "paused", "offline", "finished"].map((state) => stateText(state, false)), ["Was moving", "Was paused", "Offline", "Finished"]);
                check("states", [shownState("moving", true), shownState("moving", false), shownState("offline", false)], ["moving", "unknown", "offline"]);
                const at = new Date(2026, 10, 23, 14, 3).getTime();
                const net = { state: "live", wasLive: true, gaveUp: false, lastMessageAt: at, nextAttemptAt: null };
                check("connection", [net, { ...net, state: "reconnecting" }, { ...net, state: "offline" }, { ...net, state: "offline", lastMessageAt: 0 }, { ...net, state: "reconnecting", wasLive: false }].map(connectionText),
                  ["Live", "Reconnecting", "Offline since 14:03", "Offline", "Connecting…"]);
                const { browserFamily, locationHelp } = await import("/app/tracking/locationhelp.js");
                const agents = {
                  iosSafari: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
                  iosOther: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/130.0 Mobile/15E148 Safari/604.1",
                  android: "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36",
                  samsung: "Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-S911B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36",
                  firefoxAndroid: "Mozilla/5.0 (Android 14; Mobile; rv:132.0) Gecko/132.0 Firefox/132.0",
                  firefox: "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0",
                  safari: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15",
                  chromium: "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0",
                };
                for (const [family, agent] of Object.entries(agents)) {
                  check(family, browserFamily(agent), family);
                  if (locationHelp(agent).steps.length < 3) throw new Error(family);
                }
                check("iPad", browserFamily(agents.safari, 5), "iosSafari");
                """)
            #expect(result == "ok")
        }
    }
}
