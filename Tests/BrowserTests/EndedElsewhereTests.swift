import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

extension WebTracking.TrackTests {
    /// Answers points with an error that passes, in the server's stead, as long as `refusing` is set.
    private static let refusing = """
        const send = WebSocket.prototype.send;
        window.refusing = true;
        WebSocket.prototype.send = function (data) {
          if (!window.refusing || typeof data === "string") return send.call(this, data);
          const end = data.findIndex((byte, index) => index >= 2 && byte < 128) + 1;
          // 1006, after two seconds, "busy".
          const answer = new Uint8Array([0x74, 1, ...data.slice(2, end), 1, 0xdc, 0x0f, 21, 4, 98, 117, 115, 121, 0, 0]);
          setTimeout(() => this.onmessage?.({ data: answer.buffer }), 10);
          return undefined;
        };
        return true;
        """
    private static let ended = "document.querySelector('[data-ended]')"

    @Test(
        "A session that another device stopped keeps its waiting points until the server takes them, and says which it did not"
    )
    func endedElsewhere() async throws {
        let server = try await WebRoot.start()
        let (page, connection, account) = try await Page.tracking(on: server, at: Self.origin)
        let browser = page.browser
        try await browser.script(Self.refusing)
        let id = try await page.startTracking()
        let metres = try await walk(browser, from: 0, steps: 6)
        try await browser.wait("points wait", "campanile.tracking.unsent >= 5")
        let kept = Int64(try await browser.script("return campanile.tracking.unsent", as: Int.self))
        // A second for the clocks: what was made before the stop is before it.
        try await Task.sleep(for: .seconds(1))
        try await connection.call(TrackingStop.self, SessionTimeParams(session: id))
        try await Task.sleep(for: .seconds(1))
        _ = try await walk(browser, from: metres, steps: 2)
        try await browser.wait("points from after the stop wait, too", "campanile.tracking.unsent > \(kept)")
        #expect(try await stored(server, id).count == 0)

        await server.stop()
        try await server.startAgain()
        try await browser.wait(
            "it is seen to have ended, and what waits is spoken of",
            "campanile.tracking === null && /\\d+ points left to upload/.test(document.getElementById('waiting-note').innerText)"
        )
        #expect(try await stored(server, id).count == 0)
        try await browser.script("window.refusing = false; return true")
        try await browser.wait(
            "what the server did not take is told",
            "\(Self.ended)?.innerText.includes('after the session was stopped')")
        let after = try await stored(server, id)
        #expect(after.count >= kept)
        #expect(after.count == after.last)
        try await browser.screenshot("track-ended-elsewhere")
        // It stays until it was read, and no longer.
        try await browser.reload()
        try await browser.click("[data-ended] button")
        try await browser.wait("it is gone", "\(Self.ended) === null")
        try await browser.reload()
        try await page.live()
        try await browser.wait(
            "nothing is kept", "document.getElementById('waiting-note')?.hidden && \(Self.ended) === null")
        let reader = try await server.connect(token: account.token)
        let session = try await reader.call(TrackingSession.self, TrackingSession.Params(session: id)).session
        #expect(session.state == .finished && session.points == Int(after.count))
        for one in [connection, reader] { await one.close() }
        try await page.expectQuietConsole(except: Page.networkErrors)
        await server.stop()
    }
}
