import TestSupport
import Testing

extension Web {
    @Suite("What the web app knows of chats")
    struct ChatLogicTests {
        private static let log = #"""
            const { ConversationLog, tickOf } = await import("/app/chat/log.js");
            const at = "2026-05-04T10:00:00.000Z";
            const message = (by, text, more = {}) => ({ by, type: "message", at, id: `id-${text}`, text, ...more });
            const page = () => ({ epoch: 5, head: 3, next: null, items: [
              { offset: 3, event: message(2, "third") }, { offset: 2, event: message(1, "second"), reactions: [{ emoji: "🔥", by: [2] }] }, { offset: 1, event: message(2, "first") },
            ] });
            const shown = (log) => log.ordered.map(({ offset, text, editedAt, deletedAt, reactions }) => [offset, text ?? null, Boolean(editedAt), Boolean(deletedAt), [...reactions].map(([emoji, by]) => emoji + [...by].sort())]);
            """#

        @Test("A log that is told the same twice, late or by a page too, is the same: edits, deletions, reactions")
        func log() async throws {
            let result = try await Web.logic(
                Self.log + #"""
                    const events = [
                      [4, { by: 1, type: "edited", message: 2, text: "mended", at }], [5, { by: 1, type: "reaction", message: 3, emoji: "👍", on: true, at }],
                      [6, { by: 2, type: "reaction", message: 2, emoji: "🔥", on: false, at }], [7, message(2, "fourth")], [8, { by: 2, type: "deleted", message: 1, at }],
                      [9, { by: 2, type: "edited", message: 1, text: "back again", at }],
                    ];
                    const wanted = [[1, null, false, true, []], [2, "mended", true, false, []], [3, "third", false, false, ["👍1"]], [7, "fourth", false, false, []]];

                    const pushed = new ConversationLog();
                    pushed.page(page());
                    check("nothing before a page", new ConversationLog().take(message(1, "x"), { epoch: 5, offset: 1 }), "gap");
                    check("a gap", pushed.take(events[1][1], { epoch: 5, offset: 5 }), "gap");
                    check("another epoch", pushed.take(events[0][1], { epoch: 6, offset: 4 }), "gap");
                    check("nothing happened", pushed.position, { epoch: 5, offset: 3 });
                    for (const [offset, event] of events) {
                      check(`event ${offset}`, pushed.take(event, { epoch: 5, offset }), "new");
                      check(`event ${offset} again`, pushed.take(event, { epoch: 5, offset }), "old");
                    }
                    check("pushed", shown(pushed), wanted);

                    const caughtUp = new ConversationLog();
                    caughtUp.page(page());
                    for (const [offset, event] of [...events.slice(0, 3), ...events.slice(1)]) caughtUp.take(event, { epoch: 5, offset });
                    check("some of it again", shown(caughtUp), wanted);
                    caughtUp.moveTo({ epoch: 5, offset: 12 });
                    caughtUp.moveTo({ epoch: 5, offset: 4 });
                    caughtUp.moveTo({ epoch: 6, offset: 900 });
                    check("where it stands", caughtUp.position, { epoch: 5, offset: 12 });
                    check("from there on", caughtUp.take(message(1, "next"), { epoch: 5, offset: 13 }), "new");

                    // An older page that was read before what happened since, and comes after it.
                    const late = new ConversationLog();
                    late.page({ epoch: 5, head: 3, next: 3, items: [page().items[0]] });
                    for (const [offset, event] of events) late.take(event, { epoch: 5, offset });
                    late.page({ ...page(), items: page().items.slice(1) }, 3);
                    check("a late page", shown(late), wanted);

                    const own = new ConversationLog();
                    own.page(page());
                    own.placeOwn({ by: 1, id: "mine", text: "mine", at }, 4);
                    check("placed, and the log stands where it stood", [own.has("mine"), own.position.offset, own.take(message(1, "mine", { id: "mine" }), { epoch: 5, offset: 4 }), own.ordered.length], [true, 3, "new", 4]);
                    """#)
            #expect(result == "ok")
        }

        @Test("A tick says read when all who tell have read, and nothing of those who do not tell")
        func ticks() async throws {
            let result = try await Web.logic(
                Self.log + #"""
                    const member = (account, read, delivered, state = "joined") => ({ person: { account }, state, read, delivered });
                    check("sent", tickOf(5, [member(1, 9, 9), member(2, 3, 4)], 1), "sent");
                    check("delivered", tickOf(5, [member(1, 9, 9), member(2, 3, 5)], 1), "delivered");
                    check("read", tickOf(5, [member(1), member(2, 5, 5)], 1), "read");
                    check("one does not tell", tickOf(5, [member(1), member(2, 5, 5), member(3, null, null)], 1), "read");
                    check("one has not read", tickOf(5, [member(1), member(2, 5, 5), member(3, 4, 5)], 1), "delivered");
                    check("none tells", tickOf(5, [member(1), member(2)], 1), "sent");
                    check("who is invited does not count", tickOf(5, [member(1), member(2, 5, 5), member(3, 0, 0, "invited")], 1), "read");
                    """#)
            #expect(result == "ok")
        }

        @Test(
            "What is unread is counted once, whether it is told of twice, here and there, before the list or after it, and it is nothing once read"
        )
        func unread() async throws {
            let result = try await Web.logic(
                #"""
                const { Inbox, isMuted } = await import("/app/chat/inbox.js");
                const at = (minute) => `2026-05-04T10:${String(minute).padStart(2, "0")}:00.000Z`;
                const conversation = (id, more = {}) => ({ id, kind: "direct", name: `c${id}`, state: "joined", role: "member", members: 2, new: false, unread: 2, read: 8, epoch: 1, head: 10, at: at(id), ...more });
                const message = (offset, by = 2) => ({ offset, by, name: "B", at: at(30), text: `m${offset}`, picture: false, deleted: false });
                const inbox = new Inbox(1);
                inbox.load([conversation(7), conversation(8, { unread: 0, read: 10 }), conversation(9, { state: "invited", unread: 0 })]);
                check("the server's count, and an invitation", inbox.unread, 3);
                check("one that the list had", inbox.message(7, message(10)), false);
                check("a new one", inbox.message(7, message(11)), true);
                check("told again", inbox.message(7, message(11)), false);
                check("one's own", inbox.message(7, message(12, 1)), true);
                check("counted", [inbox.conversations.get(7).unread, inbox.unread, inbox.conversations.get(7).last.text], [3, 4, "m12"]);
                check("invitations first, then the newest", inbox.ordered.map(({ id }) => id), [9, 7, 8]);
                // A list that was made before the last two came, and one that was made between them.
                inbox.load([conversation(7), conversation(8, { unread: 0, read: 10 })]);
                check("an older list", [inbox.conversations.get(7).unread, inbox.conversations.has(9)], [3, false]);
                inbox.load([conversation(7, { head: 11, unread: 3 }), conversation(8, { unread: 0, read: 10 })]);
                check("a list in between", [inbox.conversations.get(7).unread, inbox.conversations.get(7).last.offset], [3, 12]);
                check("read by half on another device", [inbox.read(7, 9), inbox.conversations.get(7).unread], [false, 3]);
                check("read", [inbox.read(7, 12), inbox.conversations.get(7).unread, inbox.unread], [true, 0, 0]);
                check("an earlier receipt", [inbox.read(7, 3), inbox.conversations.get(7).read], [true, 12]);
                check("a list from before that", [inbox.put(conversation(7, { head: 12, unread: 3 })), inbox.unread], [true, 0]);
                check("a new one after it", [inbox.message(7, message(13)), inbox.unread], [true, 1]);
                check("not one's own any more", [inbox.remove(7), inbox.unread, inbox.message(7, message(14))], [true, 0, false]);
                check("muted", [isMuted({ mutedUntil: at(30) }, Date.parse(at(29))), isMuted({ mutedUntil: at(30) }, Date.parse(at(31))), isMuted({})], [true, false, false]);
                """#)
            #expect(result == "ok")
        }

        @Test(
            "What is written without a network is sent in order when it is back, with its id again when the answer was lost; what is refused holds nothing up"
        )
        func outbox() async throws {
            let result = try await Web.logic(
                #"""
                const { Sender } = await import("/app/chat/sender.js");
                const { RequestError } = await import("/app/client/errors.js");
                class Net extends EventTarget {
                  state = "offline"; account = { id: 1 }; token = "t"; sent = []; answer = () => ({}); clock = { toServer: (time) => new Date(time).toISOString() };
                  async request(method, params) { this.sent.push(params); return this.answer(params, this.sent.length); }
                  set(state) { this.state = state; this.dispatchEvent(new Event("state")); }
                }
                const net = new Net();
                let poor = 0;
                const placed = [];
                const sender = new Sender(net);
                sender.addEventListener("poor", () => { poor += 1; });
                sender.addEventListener("sent", ({ detail }) => placed.push([detail.entry.text, detail.place.offset]));
                await sender.use(1);
                for (const text of ["one", "two", "three"]) await sender.add({ conversation: 4, text });
                check("nothing went out", [net.sent.length, sender.entries.length, poor], [0, 3, 3]);

                // The page is loaded anew: another sender finds them.
                const reloaded = new Sender(net);
                await reloaded.use(1);
                check("kept", reloaded.entries.map(({ text }) => text), ["one", "two", "three"]);
                await reloaded.use(2);
                check("another account's are not", reloaded.entries.length, 0);

                let offset = 0;
                net.answer = ({ text }, count) => {
                  // The first arrives, and its answer gets lost.
                  if (count === 1) throw new RequestError("timeout", "The server did not answer in time.");
                  if (text === "two") throw new RequestError(1008, "Wait for an answer first.");
                  offset += 1;
                  return { conversation: 4, epoch: 1, offset };
                };
                net.set("live");
                await until("the first was tried", () => net.sent.length === 1);
                net.set("reconnecting");
                net.set("live");
                await until("all were tried", () => placed.length === 2);
                check("in order, and the first twice", net.sent.map(({ text }) => text), ["one", "one", "two", "three"]);
                check("with the same id", net.sent[0].id === net.sent[1].id && new Set(net.sent.map(({ id }) => id)).size === 3, true);
                check("what came of it", placed, [["one", 1], ["three", 2]]);
                check("the refused one waits for a person", sender.entries.map(({ text, problem }) => [text, problem]), [["two", "Wait for an answer first."]]);
                net.answer = () => ({ conversation: 4, epoch: 1, offset: 9 });
                await sender.retry(sender.entries[0].id);
                await until("tried again", () => placed.length === 3);
                check("the same id still", net.sent[4].id, net.sent[2].id);
                await until("nothing is left", () => sender.entries.length === 0);
                const empty = new Sender(net);
                await empty.use(1);
                check("nor on the device", empty.entries.length, 0);

                const { afterSendError } = await import("/app/chat/sendplan.js");
                const noPicture = new RequestError(1003, "There is no such picture.", { field: "picture" });
                check("a picture that waited too long is uploaded again, the same message still", afterSendError(noPicture, { blob: {}, pictureId: "p" }), "upload");
                check("one that never was there is not", [afterSendError(noPicture, { blob: {} }), afterSendError(noPicture, { pictureId: "p" })], ["refuse", "refuse"]);

                net.set("offline");
                await sender.add({ conversation: 4, text: "gone with the account" });
                await sender.use(null);
                await empty.use(1);
                check("after the logout", empty.entries.length, 0);
                """#)
            #expect(result == "ok")
        }

        @Test("A conversation's lines: days, the line above what is new, names once, and what waits once")
        func rows() async throws {
            let result = try await Web.logic(
                #"""
                const { conversationRows, eventSentence, lastLine, linked } = await import("/app/chat/rows.js");
                const now = new Date(2026, 4, 4, 12).getTime();
                const at = (minutes) => new Date(now - minutes * 60_000).toISOString();
                const message = (offset, by, minutes, more = {}) => ({ offset, by, type: "message", id: `i${offset}`, text: "t", at: at(minutes), ...more });
                const items = [{ offset: 1, by: 2, type: "joined", account: 2, at: at(1500) }, message(2, 2, 1500), message(3, 2, 1499), message(4, 1, 20), message(5, 2, 10, { deletedAt: at(9) }), message(6, 2, 9), message(7, 2, 8)];
                const rows = conversationRows({ items, me: 1, newFrom: 4, now, waiting: [{ id: "i4", at: at(20) }, { id: "w", at: at(0) }] });
                check("lines", rows.map((row) => row.kind + (row.item?.offset ?? row.text ?? row.entry?.id ?? "")), ["dayYesterday", "system1", "message2", "message3", "dayToday", "message4", "message5", "new", "message6", "message7", "waitingw"]);
                check("groups", rows.filter(({ kind }) => kind === "message").map(({ starts, ends }) => [starts, ends]), [[true, false], [false, true], [true, true], [true, true], [true, false], [false, true]]);
                const name = (account) => ({ 2: "Ann", 3: "Ben" })[account] ?? null;
                check("sentences", [eventSentence({ type: "joined", account: 2 }, name, 1), eventSentence({ type: "removed", by: 1, account: 3 }, name, 1), eventSentence({ type: "left", by: 9, account: 9 }, name, 1)], ["Ann joined", "You removed Ben", "Someone left"]);
                const list = (last, more = {}) => lastLine({ kind: "direct", state: "joined", last, ...more }, 1);
                check("last lines", [list({ by: 1, text: "a\nb" }), list({ by: 2, picture: true }), list({ by: 2, deleted: true }), list(undefined, { new: true })], ["You: a b", "Picture", "Message deleted", "You're now buddies. Say hello!"]);
                check("links", linked("see https://a.example/x?y=1, or javascript:alert(1)"), [{ text: "see ", link: null }, { text: "https://a.example/x?y=1", link: "https://a.example/x?y=1" }, { text: ", or javascript:alert(1)", link: null }]);
                """#)
            #expect(result == "ok")
        }

        @Test(
            "Nothing pops up of a muted chat, of the one that is read, or as a notification while a session is recorded"
        )
        func alerts() async throws {
            let result = try await Web.logic(
                #"""
                const { alertFor, alertText } = await import("/app/chat/alerts.js");
                const conversation = { id: 4, kind: "direct", name: "Ann" };
                const usual = { conversation, shown: null, isPageVisible: true, isRecording: false, isAllowed: true };
                const kinds = [{}, { isAllowed: false }, { shown: 4 }, { shown: 4, isPageVisible: false }, { shown: 5 }, { isRecording: true }, { conversation: { ...conversation, mutedUntil: "2099-01-01T00:00:00Z" } }].map((more) => alertFor({ ...usual, ...more }));
                check("kinds", kinds, ["notification", "toast", null, "notification", "notification", "toast", null]);
                const message = { name: "Ann Lee", text: "x".repeat(200) };
                const { title, body } = alertText({ conversation, message, hidesText: false });
                check("shortened", [title, [...body].length], ["Ann Lee", 120]);
                check("hidden", JSON.stringify(alertText({ conversation, message, hidesText: true })).includes("Ann"), false);
                """#)
            #expect(result == "ok")
        }

        @Test("A card decides only beyond a distance; a movement that began as a scroll never does")
        func swipe() async throws {
            let result = try await Web.logic(
                #"""
                const { Swipe, decidingDistance, swipeState } = await import("/app/buddies/swipe.js");
                check("distances", [decidingDistance(100), decidingDistance(360), decidingDistance(2000)], [80, 108, 150]);
                const swipe = (...moves) => {
                  const made = new Swipe(360);
                  made.begin(100, 100);
                  const states = moves.map(([x, y]) => made.move(x, y));
                  return { states, end: made.end() };
                };
                check("right", swipe([130, 102], [230, 104]).end, "accept");
                check("left", swipe([60, 100], [-20, 90]).end, "pass");
                check("too short", swipe([150, 100], [205, 100]).end, null);
                check("far and back", swipe([300, 100], [110, 100]).end, null);
                check("a scroll", swipe([103, 130], [300, 140]), { states: [null, null], end: null });
                check("a tap", swipe([104, 103]), { states: [null], end: null });
                check("half way", swipeState(-54, 360), { side: "pass", progress: 0.5, decides: false });
                check("beyond", swipeState(400, 360), { side: "accept", progress: 1, decides: true });
                const ended = new Swipe(360);
                check("without a beginning", [ended.move(300, 100), ended.end()], [null, null]);
                """#)
            #expect(result == "ok")
        }
    }
}
