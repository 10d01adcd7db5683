import TestSupport
import Testing

extension Web {
    @Suite("What the web app shows of somebody who was blocked on another device")
    struct BlockedLogicTests {
        /// A network that answers as a server does before and after a block: 1 reads, 2 is blocked, 3 is in the group too.
        private static let net = #"""
            const at = "2026-05-04T10:00:00.000Z";
            const message = (by, text) => ({ by, type: "message", at, id: `id-${text}`, text });
            const person = (account, name) => ({ person: { account, name }, role: "member", state: "joined" });
            let isBlocked = false;
            let failing = null;
            const told = [];
            const answers = {
              "chat.list": () => ({ conversations: [answers["chat.conversation"]({}).conversation] }),
              "chat.conversation": () => ({
                conversation: { id: 4, kind: "group", name: "Runners", state: "joined", role: "member", members: 3, new: false, read: 0, epoch: 5, head: 3, at,
                  unread: isBlocked ? 1 : 2, last: { offset: isBlocked ? 1 : 3, by: isBlocked ? 3 : 2, name: "N", at, text: isBlocked ? "of three" : "of two", picture: false, deleted: false } },
                members: [person(1, "Me M."), person(2, isBlocked ? "" : "Two T."), person(3, "Three T.")],
              }),
              "chat.history": () => ({ conversation: 4, epoch: 5, head: 3, next: null, items: [
                { offset: 3, event: isBlocked ? { by: 0, type: "hidden" } : message(2, "of two") }, { offset: 2, event: { by: 0, type: "opened", at } },
                { offset: 1, event: message(3, "of three"), reactions: isBlocked ? [] : [{ emoji: "🔥", by: [2] }] }] }),
            };
            class Net extends EventTarget {
              state = "live"; account = { id: 1 }; token = "t"; clock = { toServer: (time) => new Date(time).toISOString() }; topics = new Map();
              writes = Object.assign(new EventTarget(), { waiting: [], find: () => null, shown: (method, params, reply) => reply });
              read(method, params) { return this.request(method, params); }
              async request(method, params) { told.push(method); await null; if (failing === method) throw Object.assign(new Error("away"), { code: 1006 }); return answers[method]?.(params) ?? {}; }
              subscribe(topic, handlers, { since } = {}) {
                const caughtUp = () => queueMicrotask(() => { handlers.snapshot?.(); handlers.caughtUp?.({ epoch: 5, offset: since?.()?.offset }); });
                this.topics.set(topic, { handlers, caughtUp });
                caughtUp();
                return { close: () => this.topics.delete(topic), again: caughtUp };
              }
            }
            const { Chat } = await import("/app/chat/store.js");
            const net = new Net();
            const chat = new Chat(net, { clear() {} });
            await until("the list", () => chat.inbox.isLoaded);
            const opened = chat.open(4);
            await until("the conversation", () => opened.state === "ready" && net.topics.has("chat/4"));
            const signal = () => net.topics.get("user/1").handlers.push({ type: "resync" });
            const seen = () => [chat.inbox.unread, chat.inbox.conversations.get(4).last.text, opened.log.ordered.filter(({ type }) => type === "message").map(({ text, reactions }) => text + [...reactions.keys()]), opened.nameOf(2)];
            const before = [2, "of two", ["of three🔥", "of two"], "Two T."];
            const after = [1, "of three", ["of three"], null];
            check("before", seen(), before);
            """#

        private func run(_ script: String) async throws -> String {
            let page = try await Page.fresh()
            try await page.browser.go(page.origin + "/healthz")
            return try await page.browser.script(
                """
                const check = (what, is, shouldBe) => { if (JSON.stringify(is) !== JSON.stringify(shouldBe)) throw new Error(`${what}: ${JSON.stringify(is)}, not ${JSON.stringify(shouldBe)}`); };
                const until = async (what, isSo) => { for (let turn = 0; turn < 2000; turn += 1) { if (isSo()) return; await new Promise((done) => setTimeout(done, 5)); } throw new Error(`never: ${what}`); };
                const same = (is, shouldBe) => JSON.stringify(is) === JSON.stringify(shouldBe);
                try { \(script) } catch (error) { return error.stack ?? error.message; } return 'ok';
                """, as: String.self)
        }

        @Test("Told to ask again, it replaces list, counts, words, reactions and name, and brings them back afterwards")
        func resync() async throws {
            let result = try await run(
                Self.net + #"""
                    isBlocked = true;
                    signal();
                    await until("all of it is gone", () => same(seen(), after));
                    check("what is quoted of it", opened.quote(3), null);
                    // What is pushed from here on follows what was asked for.
                    net.topics.get("chat/4").handlers.publication(message(3, "and on"), { epoch: 5, offset: 4 }, { isRecovered: false });
                    check("it goes on", opened.log.newest, 4);
                    net.topics.get("chat/4").handlers.publication({ by: 0, type: "deleted", message: 4 }, { epoch: 5, offset: 5 }, { isRecovered: false });
                    check("deleted by nobody", [opened.log.items.get(4).text, Boolean(opened.log.items.get(4).deletedAt)], [undefined, true]);
                    isBlocked = false;
                    signal();
                    await until("it is back", () => same([...seen().slice(2)], before.slice(2)));
                    """#)
            #expect(result == "ok")
        }

        @Test(
            "What is not on the screen is asked for anew when it is opened; what could not be, when the network is back"
        )
        func later() async throws {
            let result = try await run(
                Self.net + #"""
                    opened.close();
                    isBlocked = true;
                    told.length = 0;
                    signal();
                    await until("the list is asked for", () => told.includes("chat.list"));
                    check("nothing else is", told.includes("chat.history"), false);
                    chat.open(4);
                    await until("all of it is gone", () => same(seen(), after));
                    isBlocked = false;
                    failing = "chat.history";
                    told.length = 0;
                    signal();
                    await until("it was tried", () => told.includes("chat.history"));
                    await until("the list is back", () => chat.inbox.unread === 2);
                    check("not asked again and again", told.filter((method) => method === "chat.history").length, 1);
                    failing = null;
                    net.topics.get("chat/4").caughtUp();
                    await until("it is back", () => same(seen().slice(2), before.slice(2)));
                    """#)
            #expect(result == "ok")
        }

        @Test("Two hundred accents on a letter end at the edge of the bubble, of a quote and of a name")
        func accents() async throws {
            let result = try await run(
                #"""
                const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/app/chat/chat.css" });
                const loaded = new Promise((done, failed) => { link.onload = done; link.onerror = failed; });
                document.head.append(link);
                await loaded;
                const text = "a" + "\u0301".repeat(200);
                const { makeMessage } = await import("/app/chat/message.js");
                const item = (offset, words) => ({ offset, by: 2, type: "message", id: `i${offset}`, text: words, at: "2026-05-04T10:00:00.000Z", reactions: new Map(), reply: 7 });
                const context = { me: 1, scope: { show() {} }, nameOf: () => text, tick: () => "sent", quote: () => item(7, text), onMenu() {}, onJump() {}, isGroup: true, personOf: () => ({ account: 2, name: text }) };
                const list = document.createElement("ol");
                document.body.append(list);
                const draw = (words) => { const row = makeMessage({ item: item(8, words), isOwn: false, starts: true, ends: true }, context); list.replaceChildren(row); return row; };
                const clips = (element) => [getComputedStyle(element).overflowX, getComputedStyle(element).overflowY];
                const bubble = draw(text).querySelector(".bubble");
                check("the bubble", clips(bubble), ["clip", "clip"]);
                check("the quote", clips(bubble.querySelector(".quote")), ["clip", "clip"]);
                check("the name is in it", Boolean(bubble.querySelector(".message-name")), true);
                const high = bubble.getBoundingClientRect().height;
                check("no higher than a letter", high <= draw("a").querySelector(".bubble").getBoundingClientRect().height + 1, true);
                """#)
            #expect(result == "ok")
        }
    }
}
