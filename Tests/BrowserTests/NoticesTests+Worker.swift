import CampanileClient
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

/// Notices in the service worker and in the log that all pages of a browser share.
extension WebEvents.NoticePageTests {
    @Test("A push is shown when no page is looked at, or when it is urgent, and leads only into the app")
    func push() async throws {
        let server = try await WebRoot.start()
        let browser = try await Browser.open(.complete)
        let page = Page(server: server, browser: browser)
        try await browser.cdp(
            "Browser.grantPermissions", ["origin": page.origin, "permissions": ["notifications"]])
        try await page.open("/")
        // A worker is in charge of its pages a little before Chromium gives it a push.
        try await browser.wait(
            "the service worker",
            "navigator.serviceWorker.controller && (await navigator.serviceWorker.ready).active.state === 'activated'")
        try await browser.cdp("ServiceWorker.enable")
        try await deliver(#"{"title":"Seen in the app","body":"b","tag":"t","path":"/chats/1"}"#, on: page)
        try await deliver(
            #"{"kind":"notice","title":"Leave the hall","body":"b","tag":"notice/1","path":"/notices","urgent":true}"#,
            on: page)
        try await browser.wait("the urgent one", "(await \(Self.shown)).includes('Leave the hall')")
        // At once: a notification goes by itself after a while.
        #expect(try await browser.text("await \(Self.shown)") == "Leave the hall true /notices")
        try await browser.go("about:blank")
        try await deliver(
            #"{"title":"Run at six","body":"b","tag":"event/2","path":"//elsewhere.example"}"#, on: page)
        try await deliver("not what it should be", on: page)
        try await browser.go(page.origin + "/healthz")
        try await browser.wait(
            "all are shown, and lead into the app",
            "(await \(Self.shown)) === 'Campanile false /|Leave the hall true /notices|Run at six false /'")
        await browser.close()
        await server.stop()
    }

    private static let shown = """
        navigator.serviceWorker.getRegistration().then((r) => r.getNotifications()).then((all) => all.map((n) => `${n.title} ${n.requireInteraction} ${n.data.path}`).sort().join('|'))
        """

    /// The worker's number is not told without a session of events: all that it can be are tried, and the others are nobody's.
    private func deliver(_ data: String, on page: Page) async throws {
        for number in 0..<60 {
            _ = try? await page.browser.cdp(
                "ServiceWorker.deliverPushMessage",
                ["origin": page.origin, "registrationId": String(number), "data": data])
        }
    }

    // MARK: What is known

    @Test("What is told twice, late, or by a page as well is known once; what was read or withdrawn stays so")
    func log() async throws {
        let result = try await Web.logic(
            #"""
            const { NoticeLog } = await import("/app/notices/log.js");
            const at = (minute) => `2026-05-04T10:${String(minute).padStart(2, "0")}:00.000Z`;
            const now = Date.parse(at(30));
            const notice = (number, minute, more = {}) => ({ type: "notice", number, revision: 1, at: at(minute), title: `n${number}`, level: "info", ...more });
            const numbers = (log) => log.shown(now).map(({ number }) => number);
            const log = new NoticeLog();
            check("new", log.take(notice(1, 1)), "new");
            check("again", log.take(notice(1, 1)), "old");
            check("corrected", log.take(notice(1, 1, { revision: 2, title: "mended" })), "corrected");
            check("an older revision late", log.take(notice(1, 1)), "old");
            check("what it says", log.items.get(1).title, "mended");
            log.take(notice(7, 5));
            log.take(notice(3, 9));
            check("by time, not by number", numbers(log), [3, 7, 1]);
            check("read", log.read([1, 3, 99], at(10)), [1, 3]);
            check("read again", log.read([1], at(11)), []);
            check("a correction of what was read stays read", [log.take(notice(3, 9, { revision: 2 })), log.unread(now).length], ["corrected", 1]);
            check("withdrawn", log.take({ type: "withdrawn", number: 7, revision: 2 }), "withdrawn");
            check("it does not come back", [log.take(notice(7, 5, { revision: 3 })), log.items.get(7).title], ["old", undefined]);
            check("what was never here leaves no trace", [log.take({ type: "withdrawn", number: 50, revision: 2 }), log.items.has(50)], ["old", false]);
            log.take(notice(8, 12, { expiresAt: at(20) }));
            check("over", numbers(log), [3, 7, 1]);

            log.moveTo({ epoch: 5, offset: 12 });
            log.moveTo({ epoch: 5, offset: 4 });
            check("never back", log.position, { epoch: 5, offset: 12 });
            log.moveTo({ epoch: 6, offset: 1 });
            check("another epoch", log.position, { epoch: 6, offset: 1 });

            const { mark } = log;
            log.take(notice(60, 25));
            log.page({ notices: [notice(20, 15), notice(3, 9, { revision: 2 })], unread: 4, next: 9 }, { isFirst: true, mark });
            check("a page says what holds between its ends; what came meanwhile stays, and so does what is older", numbers(log), [60, 20, 3, 7, 1]);
            check("unread elsewhere", [log.unreadCount(now), log.others], [4, 2]);
            const copy = NoticeLog.from(JSON.parse(JSON.stringify(log.kept)));
            check("kept", [numbers(copy), copy.position, copy.unreadCount(now)], [numbers(log), log.position, 4]);
            const other = NoticeLog.from(log.kept);
            other.read([60], at(26));
            check("read in another tab", [log.merge(other), log.items.get(60).readAt, log.merge(other)], [true, at(26), false]);
            check("nonsense is an empty one", [NoticeLog.from({ items: [null, { number: "x" }] }).shown(now), NoticeLog.from(null).position], [[], null]);
            """#)
        #expect(result == "ok")
    }
}
