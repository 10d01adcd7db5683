/// Statements between two synchronisation points, and who waits for them. On the loop of its connection only.
final class Batch {
    enum Body {
        case pipeline([EncodedStatement])
        case script(String)
    }

    struct Outcome {
        /// One answer for each statement, or the first error.
        var result: Result<[PostgresRows], PostgresError>
    }

    let body: Body
    /// On the monotonic clock, in nanoseconds.
    let deadline: UInt64
    private(set) var answers: [PostgresRows] = []
    private(set) var failure: PostgresError?
    private var completion: ((Outcome) -> Void)?

    init(_ body: Body, deadline: UInt64, completion: @escaping (Outcome) -> Void) {
        self.body = body
        self.deadline = deadline
        self.completion = completion
        if case .pipeline(let statements) = body { answers.reserveCapacity(statements.count) }
    }

    func append(_ rows: PostgresRows) { answers.append(rows) }

    /// Keeps the first failure; what follows it was aborted because of it.
    func fail(_ error: PostgresError) {
        if failure == nil { failure = error }
    }

    /// Answers, once.
    func complete() {
        let completion = self.completion
        self.completion = nil
        completion?(Outcome(result: failure.map { .failure($0) } ?? .success(answers)))
    }
}

/// What libpq answers next.
enum Expectation {
    /// Whether a statement could be prepared.
    case preparation(Batch, sql: String)
    /// A statement's rows.
    case rows(Batch)
    /// A statement was forgotten.
    case deallocation(name: String)
    /// The synchronisation point that ends a batch; nil after a deallocation.
    case synchronisation(Batch?)
    /// The answers to a script.
    case script(Batch)
}

/// The statements that one session knows, least recently used first to go. On the loop of its connection only.
struct PreparedStatements {
    private struct Entry {
        let name: String
        var isReady: Bool
        var lastUse: UInt64
    }

    private var entries: [String: Entry] = [:]
    private var uses: UInt64 = 0
    private var made: UInt64 = 0

    enum Lookup {
        /// Known to the session by this name.
        case ready(String)
        /// Sent for preparation, not yet confirmed: it may still fail.
        case preparing(String)
        case unknown
    }

    mutating func find(_ sql: String) -> Lookup {
        guard let entry = entries[sql] else { return .unknown }
        uses &+= 1
        entries[sql]?.lastUse = uses
        return entry.isReady ? .ready(entry.name) : .preparing(entry.name)
    }

    /// A name for a statement that is about to be prepared.
    mutating func insert(_ sql: String) -> String {
        made &+= 1
        uses &+= 1
        let name = "s\(made)"
        entries[sql] = Entry(name: name, isReady: false, lastUse: uses)
        return name
    }

    mutating func confirm(_ sql: String) { entries[sql]?.isReady = true }

    mutating func remove(_ sql: String) { entries[sql] = nil }

    /// The name of a statement to forget, when there are more than `countMax`. O(n), and rare.
    mutating func evict(countMax: Int) -> String? {
        guard entries.count > countMax else { return nil }
        let oldest = entries.filter { $0.value.isReady }.min { $0.value.lastUse < $1.value.lastUse }
        guard let oldest else { return nil }
        entries[oldest.key] = nil
        return oldest.value.name
    }
}
