import Foundation
import Logging
import WebSocket

/// Format of a log line.
public enum LogFormat: String, Sendable, CaseIterable {
    /// For people: `2026-11-20T16:40:00.125Z notice postgres: connected again error=…`
    case text
    /// For machines: one JSON object (RFC 8259) per line, with `time`, `level`, `area`, `message` and `metadata`.
    case json
}

/// Writes lines to standard error, each in one call, so that lines of different threads do not mix. Usable from any thread.
///
/// Callers must not log payloads or credentials. This type ensures that logged text cannot break out of its line: it escapes control
/// characters in both formats.
public struct LineLogHandler: LogHandler {
    /// Highest number of bytes of a message or a metadata value; the rest is cut.
    static let valueBytesMax = 4_096

    public var logLevel: Logger.Level
    public var metadata: Logger.Metadata = [:]
    public var metadataProvider: Logger.MetadataProvider?

    private let area: String
    private let format: LogFormat
    private let write: @Sendable ([UInt8]) -> Void

    /// - Parameters:
    ///   - write: Receives one line with its line feed; by default it writes to standard error.
    public init(
        label: String, level: Logger.Level, format: LogFormat,
        write: @escaping @Sendable ([UInt8]) -> Void = LineLogHandler.writeToStandardError
    ) {
        area = LogLine.area(of: label)
        logLevel = level
        self.format = format
        self.write = write
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let own = event.metadata { all.merge(own) { $1 } }
        if let error = event.error { all["error"] = "\(error)" }
        let line = LogLine(
            time: Date.now, level: event.level, area: area, message: "\(event.message)",
            metadata: all.mapValues { "\($0)" })
        write(Array(line.text(format).utf8))
    }

    /// Blocks only while standard error does.
    @Sendable public static func writeToStandardError(_ line: [UInt8]) {
        var rest = line[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
        }
    }
}

struct LogLine {
    let time: Date
    let level: Logger.Level
    let area: String
    let message: String
    let metadata: [String: String]

    /// Part of a label after `campanile.`; `server` for the label `campanile`.
    static func area(of label: String) -> String {
        if label == "campanile" { return "server" }
        return label.hasPrefix("campanile.") ? String(label.dropFirst("campanile.".count)) : label
    }

    /// Text with a line feed.
    func text(_ format: LogFormat) -> String {
        let stamp = time.formatted(
            .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted))
        let pairs = metadata.sorted { $0.key < $1.key }
        switch format {
        case .text:
            let suffix = pairs.map { " \(Self.plain($0.key))=\(Self.plain($0.value))" }.joined()
            return "\(stamp) \(level) \(area): \(Self.plain(message))\(suffix)\n"
        case .json:
            var members = [
                ("time", stamp), ("level", level.rawValue), ("area", area), ("message", Self.cut(message)),
            ].map { "\(Self.quoted($0.0)):\(Self.quoted($0.1))" }
            if !pairs.isEmpty {
                let object = pairs.map { "\(Self.quoted($0.key)):\(Self.quoted(Self.cut($0.value)))" }
                members.append("\"metadata\":{\(object.joined(separator: ","))}")
            }
            return "{\(members.joined(separator: ","))}\n"
        }
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > LineLogHandler.valueBytesMax else { return text }
        return String(decoding: text.utf8.prefix(LineLogHandler.valueBytesMax), as: UTF8.self) + "…"
    }

    /// Escapes control characters, so that the text contains neither a line break nor a terminal sequence.
    private static func plain(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in cut(text).unicodeScalars {
            if isControl(scalar) {
                escaped.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            } else {
                escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    /// A JSON string (RFC 8259 §7).
    private static func quoted(_ text: String) -> String {
        var quoted = "\"".unicodeScalars
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted.append(contentsOf: "\\\"".unicodeScalars)
            case "\\": quoted.append(contentsOf: "\\\\".unicodeScalars)
            case "\n": quoted.append(contentsOf: "\\n".unicodeScalars)
            case _ where isControl(scalar):
                let digits = String(scalar.value, radix: 16)
                let padding = String(repeating: "0", count: 4 - digits.count)
                quoted.append(contentsOf: "\\u\(padding)\(digits)".unicodeScalars)
            default: quoted.append(scalar)
            }
        }
        quoted.append("\"")
        return String(quoted)
    }

    /// Whether a scalar is in C0, DEL or C1, or is one of the two Unicode line separators.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value == 0x2028 || scalar.value == 0x2029
    }
}
