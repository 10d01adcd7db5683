/// Statements between two synchronisation points, with the completion that takes their results. Confined to the connection's loop.
final class Batch {
    enum Body {
        case pipeline([EncodedStatement])
        case script(String)
    }

    struct Outcome {
        /// One result for each statement, or the first error.
        var result: Result<[PostgresRows], PostgresError>
    }

    let body: Body
    /// Monotonic nanoseconds.
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

    /// Records the first failure only. PostgreSQL aborts the rest of the batch because of it.
    func fail(_ error: PostgresError) {
        if failure == nil { failure = error }
    }

    /// Calls the completion. Later calls do nothing.
    func complete() {
        let completion = self.completion
        self.completion = nil
        completion?(Outcome(result: failure.map { .failure($0) } ?? .success(answers)))
    }
}

/// The result that libpq returns next.
enum Expectation {
    /// Result of preparing a statement.
    case preparation(Batch, sql: String)
    case rows(Batch)
    /// Result of deallocating a prepared statement.
    case deallocation(name: String)
    /// The synchronisation point that ends a batch; nil after a deallocation.
    case synchronisation(Batch?)
    /// Results of a script.
    case script(Batch)
}

/// A session's prepared statements, evicted by least recent use. Confined to the connection's loop.
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
        /// Prepared in the session under this name.
        case ready(String)
        /// Sent to be prepared and not yet confirmed. Preparation may still fail.
        case preparing(String)
        case unknown
    }

    mutating func find(_ sql: String) -> Lookup {
        guard let entry = entries[sql] else { return .unknown }
        uses &+= 1
        entries[sql]?.lastUse = uses
        return entry.isReady ? .ready(entry.name) : .preparing(entry.name)
    }

    /// Registers a statement that is about to be prepared, and returns its name.
    mutating func insert(_ sql: String) -> String {
        made &+= 1
        uses &+= 1
        let name = "s\(made)"
        entries[sql] = Entry(name: name, isReady: false, lastUse: uses)
        return name
    }

    mutating func confirm(_ sql: String) { entries[sql]?.isReady = true }

    mutating func remove(_ sql: String) { entries[sql] = nil }

    /// Removes the least recently used confirmed statement if there are more than `countMax`, and returns its name. O(n), but rare.
    mutating func evict(countMax: Int) -> String? {
        guard entries.count > countMax else { return nil }
        let oldest = entries.filter { $0.value.isReady }.min { $0.value.lastUse < $1.value.lastUse }
        guard let oldest else { return nil }
        entries[oldest.key] = nil
        return oldest.value.name
    }
}
