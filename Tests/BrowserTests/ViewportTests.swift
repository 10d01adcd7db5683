import Foundation
import TestSupport
import Testing

extension Web {
    @Suite("What the web app looks at")
    struct ViewportTests {
        /// A viewport with a clock that stands still, and what it says and hears.
        private static let prelude = #"""
            const { Viewport, boxOnEarth } = await import("/app/client/viewport.js");
            const { readFrame } = await import("/app/client/positions.js");
            class Clock {
              now = 0;
              timers = [];
              after = (milliseconds, run) => {
                const timer = { at: this.now + milliseconds, run };
                this.timers.push(timer);
                return () => { this.timers = this.timers.filter((other) => other !== timer); };
              };
              async to(time) {
                for (;;) {
                  await settled();
                  const [next] = this.timers.filter(({ at }) => at <= time).sort((a, b) => a.at - b.at);
                  if (!next) break;
                  this.timers = this.timers.filter((timer) => timer !== next);
                  this.now = next.at;
                  next.run();
                }
                this.now = time;
              }
            }
            const settled = async () => { for (let turn = 0; turn < 20; turn += 1) await null; };
            const check = (what, is, shouldBe) => { if (JSON.stringify(is) !== JSON.stringify(shouldBe)) throw new Error(`${what}: ${JSON.stringify(is)}, not ${JSON.stringify(shouldBe)}`); };
            function viewport({ topics = () => ["cell/15/1/1"] } = {}) {
              const clock = new Clock();
              const said = [];
              const heard = [];
              const view = new Viewport({
                send: async (params) => { said.push({ at: clock.now, ...params }); return { topics: params.box ? topics(params) : [] }; },
                cells: (cells) => heard.push([...cells]), update: (topic, update) => heard.push([topic, update.full, update.runners.map((runner) => runner.session)]),
                now: () => clock.now, after: clock.after,
              });
              view.connected();
              return { clock, said, heard, view };
            }
            """#

        private func run(_ script: String) async throws -> String {
            let page = try await Page.fresh()
            try await page.browser.go(page.origin + "/healthz")
            return try await page.browser.script(
                "try { \(script) } catch (error) { return error.message; } return 'ok';", as: String.self)
        }

        @Test(
            "A map that moves says so five times a second at most, and where it came to rest; while all it shows comes already, not at all"
        )
        func throttle() async throws {
            let result = try await run(
                Self.prelude + #"""
                    {
                      // Within one cell of zoom 2 nothing need be said until the map rests.
                      const { clock, said, view } = viewport({ topics: () => ["cell/2/2/1"] });
                      view.show([10, 10, 20, 20], 2);
                      await settled();
                      for (let step = 1; step <= 50; step += 1) {
                        view.show([10, 10 + step / 10, 20, 20 + step / 10], 2, false);
                        await clock.to(step * 20);
                      }
                      check("said while the cell holds all", said.length, 1);
                      view.show([10, 15, 20, 25], 2, true);
                      await clock.to(1500);
                      check("said at rest", said.slice(1).map((one) => one.box), [[10, 15, 20, 25]]);
                    }
                    {
                      const { clock, said, view } = viewport();
                      view.show([10, 10, 11, 11], 15);
                      await settled();
                      for (let step = 1; step <= 100; step += 1) {
                        view.show([10, 10 + step, 11, 11 + step], 15, false);
                        await clock.to(step * 10);
                      }
                      await clock.to(3000);
                      check("times", said.map((one) => one.at), [0, 200, 400, 600, 800, 1000]);
                      check("the last place", said.at(-1).box, [10, 110, 11, 111]);
                      check("the encoding", said.every((one) => one.encoding === "binary"), true);
                      view.suspend();
                      await clock.to(4000);
                      check("nothing for nobody", said.at(-1).box, null);
                      view.show([0, 0, 1, 1], 15);
                      await clock.to(5000);
                      check("still nothing", said.at(-1).box, null);
                      view.resume();
                      await clock.to(6000);
                      check("seen again", said.at(-1).box, [0, 0, 1, 1]);
                      const before = said.length;
                      view.disconnected();
                      view.connected();
                      await clock.to(7000);
                      check("told again to a new connection", said.slice(before).map((one) => one.box), [[0, 0, 1, 1]]);
                    }
                    check("beyond the world", [boxOnEarth([-91, -200, 91, 200]), boxOnEarth([0, 181, 1, 190])], [[-90, -180, 90, 180], null]);
                    """#)
            #expect(result == "ok")
        }

        @Test(
            "Frames that cannot be read lead to the view anew, ever later, and at last to JSON; a missing one waits for the snapshot"
        )
        func trouble() async throws {
            let file = TestServer.root.appending(path: "Tests/Vectors/positions.json")
            let vectors = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [[[String: Any]]] ?? []
            let frames = (vectors.first ?? []).prefix(3).compactMap { $0["frame"] as? String }
            let result = try await run(
                Self.prelude + """
                    const frames = \(frames).map((hex) => new Uint8Array(hex.match(/../g).map((pair) => parseInt(pair, 16))).buffer)
                      .map((bytes) => ({ bytes, area: readFrame(bytes).area }));
                    """ + #"""
                        {
                          const { clock, said, view } = viewport();
                          view.show([10, 10, 11, 11], 15);
                          await settled();
                          // Four bytes that are no frame, all the time for ten minutes.
                          const broken = new Uint8Array([0x50, 1, 0, 9]).buffer;
                          for (let time = 100; time <= 600_000; time += 100) {
                            view.frame(broken);
                            await clock.to(time);
                          }
                          const views = said.filter((one) => one.box);
                          check("the first views", views.slice(0, 5).map((one) => [Math.round(one.at / 1000), one.encoding]), [[0, "binary"], [1, "binary"], [3, "binary"], [7, "binary"], [15, "json"]]);
                          if (views.length > 16) throw new Error(`asked ${views.length} times`);
                          check("looked away before each", said.filter((one) => !one.box).length, views.length - 1);
                        }
                        {
                          const { clock, said, view } = viewport();
                          view.show([10, 10, 11, 11], 15);
                          await settled();
                          view.frame(new Uint8Array([0x50, 2, 0, 9]).buffer);
                          await clock.to(1500);
                          check("of a later version", said.map((one) => one.encoding ?? null), ["binary", null, "json"]);
                          view.push("cell/15/1/1", { type: "positions", full: true, runners: [{ session: 4, at: "2026-01-01T00:00:00.000Z" }], left: [] });
                          check("counted", [view.awaited.size, view.counts.snapshots], [0, 1]);
                        }
                        {
                          const { clock, said, heard, view } = viewport({ topics: () => [frames[0].area] });
                          view.show([10, 10, 11, 11], 15);
                          await settled();
                          const [snapshot, next, third] = frames;
                          view.frame(snapshot.bytes);
                          // One is missing: what follows is of no use until the next snapshot.
                          view.frame(third.bytes);
                          check("after a gap", [view.counts.gaps, view.awaited.size, heard.length], [1, 1, 2]);
                          view.frame(snapshot.bytes);
                          view.frame(next.bytes);
                          check("after the snapshot", [view.awaited.size, heard.length], [0, 4]);
                          await clock.to(60_000);
                          check("nothing was asked for", said.length, 1);
                        }
                        {
                          const { clock, said, view } = viewport();
                          view.show([10, 10, 11, 11], 15);
                          await clock.to(29_000);
                          check("a snapshot is waited for", said.length, 1);
                          await clock.to(32_000);
                          check("and then asked for, no larger than before", said.map((one) => one.encoding ?? null), ["binary", null, "binary"]);
                        }
                        """#)
            #expect(result == "ok")
        }

        @Test(
            "Who passes from cell to cell stays, whichever tells first; the hidden are gone at once; a cell out of view takes its runners along"
        )
        func roster() async throws {
            let result = try await run(
                #"""
                const { Roster } = await import("/app/map/roster.js");
                const { cellTopic } = await import("/app/client/mercator.js");
                const here = [51.5, 8.0];
                const cells = (zoom) => [cellTopic(...here, zoom), cellTopic(here[0], here[1] + 360 / 2 ** zoom, zoom)];
                let topics = cells(15);
                const net = { state: "live", clock: { age: () => 0 }, request: async (_method, { box }) => ({ topics: box ? topics : [] }) };
                const roster = new Roster(net);
                net.viewport.connected();
                const watch = roster.watch();
                const told = (topic, runners, left = [], full = false) => net.viewport.push(topic, {
                  type: "positions", full, left, runners: runners.map((session) => ({ session, name: `r${session}`, state: "moving", lat: here[0], lon: here[1], at: "2026-01-01T00:00:00.000Z" })) });
                const look = async (zoom, box = [51, 7, 52, 9]) => { watch.look(box, zoom); await new Promise((done) => setTimeout(done, 250)); };
                const who = () => [...roster.entries.keys()].sort().join();
                const check = (what, is, shouldBe) => { if (is !== shouldBe) throw new Error(`${what}: ${is}, not ${shouldBe}`); };

                await look(15);
                const [a, b] = topics;
                told(a, [1, 2, 3], [], true);
                check("not known before all are told", roster.isKnown, false);
                told(b, [4], [], true);
                check("then known", roster.isKnown, true);
                check("all", who(), "1,2,3,4");

                told(b, [1]);
                told(a, [], [{ session: 1, reason: "zone" }]);
                check("the next cell told first", `${who()} ${roster.entries.get(1).topic === b}`, "1,2,3,4 true");
                told(a, [], [{ session: 2, reason: "zone" }]);
                check("the last cell told first", who(), "1,2,3,4");
                told(b, [2]);
                check("then the next", `${who()} ${roster.entries.get(2).removeAt}`, "1,2,3,4 null");
                told(b, [], [{ session: 4, reason: "hidden" }]);
                check("hidden is gone at once", who(), "1,2,3");
                told(a, [], [{ session: 3, reason: "zone" }]);
                check("who went out of view is not forgotten at once", who(), "1,2,3");
                const gone = roster.entries.get(3);
                check("but after some seconds", gone.topic === null && gone.removeAt > performance.now(), true);
                gone.removeAt = performance.now();
                while (roster.entries.has(3)) await new Promise((done) => setTimeout(done, 50));
                told(b, [2], [], true);
                check("a snapshot is everyone", who(), "2");

                // Smaller cells: the same runners, told of anew, stay on the map meanwhile.
                const entry = roster.entries.get(2);
                topics = cells(17);
                await look(17);
                check("kept", roster.entries.get(2) === entry, true);
                told(topics[0], [2], [], true);
                told(topics[1], [], [], true);
                check("kept still", roster.entries.get(2) === entry && entry.topic === topics[0], true);
                told(topics[0], [5]);
                topics = cells(17).slice(1);
                await look(17, [51, 8, 52, 9]);
                check("a cell out of view takes its runners along", who(), "");
                watch.close();
                """#)
            #expect(result == "ok")
        }
    }
}
