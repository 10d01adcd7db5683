import Foundation
import Logging
import Server
import Synchronization
import Testing

@Suite("The log")
struct LogTests {
    /// Lines that a logger with this format writes.
    private func lines(
        _ format: LogFormat, level: Logger.Level = .notice, label: String = "campanile.postgres",
        _ body: (Logger) -> Void
    ) -> [String] {
        final class Sink: Sendable {
            let bytes = Mutex<[UInt8]>([])
        }
        let sink = Sink()
        let logger = Logger(label: label) { label in
            LineLogHandler(label: label, level: level, format: format) { line in sink.bytes.withLock { $0 += line } }
        }
        body(logger)
        let text = String(decoding: sink.bytes.withLock { $0 }, as: UTF8.self)
        #expect(text.isEmpty || text.hasSuffix("\n"))
        return text.split(separator: "\n").map { String($0) }
    }

    @Test("A line of JSON is one object with time, level, area, message and metadata")
    func json() throws {
        let nasty = "a \"quote\", a \\, a\nline, \u{0}, \u{1b}[31m, \u{2028}, 🔔"
        let written = lines(.json) { logger in
            logger.warning("\(nasty)", metadata: ["key \"1\"": "\(nasty)", "number": "\(7)"])
            logger.info("not told")
        }
        #expect(written.count == 1)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(written[0].utf8)) as? [String: Any])
        #expect(Set(object.keys) == ["time", "level", "area", "message", "metadata"])
        #expect(object["level"] as? String == "warning" && object["area"] as? String == "postgres")
        #expect(object["message"] as? String == nasty)
        #expect(object["metadata"] as? [String: String] == ["key \"1\"": nasty, "number": "7"])
        let time = try #require(object["time"] as? String)
        #expect(time.contains(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/), "\(time)")
    }

    @Test("A line of text stays one line, whatever is in it")
    func text() {
        let written = lines(.text, label: "campanile") { logger in
            logger.error("bad\r\nnotice server: forged \u{1b}[2J", metadata: ["a": "1\n2"])
        }
        #expect(written.count == 1)
        #expect(written[0].contains(" error server: bad\\u{d}\\u{a}notice server: forged \\u{1b}[2J a=1\\u{a}2"))
    }

    @Test("A message of a megabyte is cut")
    func cut() {
        let long = String(repeating: "x", count: 1_000_000)
        for format in LogFormat.allCases {
            #expect(lines(format) { $0.error("\(long)", metadata: ["a": "\(long)"]) }[0].utf8.count < 10_000)
        }
    }

    @Test("Levels are by area, and what is none is refused")
    func levels() throws {
        let levels = try LogLevels("warning,postgres=debug,loop=trace")
        #expect(levels.level(for: "campanile.postgres") == .debug)
        #expect(levels.level(for: "campanile.loop") == .trace)
        #expect(levels.level(for: "campanile") == .warning && levels.level(for: "campanile.tracking") == .warning)
        #expect(try LogLevels("postgres=info").standard == .notice)
        for text in [
            "", "loud", "postgres", "postgres=", "postgres=loud", "kitchen=info", "info,,debug", "a=b=c", "NOTICE",
        ] {
            #expect(throws: LogLevels.Invalid.self, "\(text)") { try LogLevels(text) }
        }
    }
}
