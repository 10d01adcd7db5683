import Logging
import Synchronization

/// What was logged, for a test to look at. From any thread.
public final class RecordedLog: Sendable {
    private let written = Mutex<[String]>([])

    /// Nothing is logged yet.
    public init() {}

    /// Each line as level, message and metadata.
    public var lines: [String] { written.withLock { $0 } }

    /// A logger that writes here.
    public var logger: Logger {
        Logger(label: "tests") { _ in Handler(record: self) }
    }

    private struct Handler: LogHandler {
        let record: RecordedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let details = (event.metadata ?? [:]).map { " \($0.key)=\($0.value)" }.sorted().joined()
            record.written.withLock { $0.append("\(event.level) \(event.message)\(details)") }
        }
    }
}
