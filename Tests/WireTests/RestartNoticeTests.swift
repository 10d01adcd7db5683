import Testing
import Wire

@Suite("What a restarting server says")
struct RestartNoticeTests {
    @Test("the reason carries the wait, and fits a close frame")
    func reason() {
        #expect(RestartNotice.reason(milliseconds: 1_234) == "restart; reconnect-after-ms=1234")
        #expect(RestartNotice.milliseconds(in: RestartNotice.reason(milliseconds: 0)) == 0)
        let longest = RestartNotice.reason(milliseconds: RestartNotice.waitMillisecondsMax)
        #expect(RestartNotice.milliseconds(in: longest) == RestartNotice.waitMillisecondsMax)
        // RFC 6455 §5.5: 125 bytes, two of them the code.
        #expect(longest.utf8.count <= 123)
    }

    @Test("other reasons say nothing, and no number is taken beyond the longest wait")
    func input() {
        for text in ["", "restart", "reconnect-after-ms=", "reconnect-after-ms=-5", "reconnect-after-ms=x"] {
            #expect(RestartNotice.milliseconds(in: text) == nil, "\(text)")
        }
        #expect(RestartNotice.milliseconds(in: "reconnect-after-ms=99999999") == RestartNotice.waitMillisecondsMax)
        #expect(
            RestartNotice.milliseconds(in: "reconnect-after-ms=" + String(repeating: "9", count: 60))
                == RestartNotice.waitMillisecondsMax)
    }

    @Test("the more connections, the longer the spread: so many a second come back")
    func spread() {
        #expect(RestartNotice.spreadMilliseconds(connections: 0) == 500)
        #expect(RestartNotice.spreadMilliseconds(connections: 1_000) == 500)
        #expect(RestartNotice.spreadMilliseconds(connections: 18_000) == 9_000)
    }
}
