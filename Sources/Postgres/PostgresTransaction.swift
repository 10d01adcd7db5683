import EventLoop

/// A transaction in progress: one connection, until the body that got it returns. Do not keep it longer.
///
/// `@unchecked Sendable`: mutable state is touched on the connection's loop only.
public final class PostgresTransaction: @unchecked Sendable {
    private enum State {
        /// No statement yet: `BEGIN` travels with the first one.
        case untouched
        case begun
        /// A statement failed or its answer is unknown: only `ROLLBACK` is left.
        case failed(PostgresError)
        case over
    }

    private let connection: PostgresConnection
    private var state = State.untouched
    private var release: (() -> Void)?

    init(connection: PostgresConnection, release: @escaping () -> Void) {
        self.connection = connection
        self.release = release
    }

    /// Runs one statement within the transaction. After an error every further statement fails with it. From any context.
    /// - Parameters:
    ///   - sql: One SQL statement with `$1`, `$2` for its parameters.
    ///   - parameters: Their values.
    /// - Throws: ``PostgresError``.
    public func query(_ sql: String, _ parameters: [PostgresValue] = []) async throws -> PostgresRows {
        guard let rows = try await batch([PostgresStatement(sql, parameters)]).first else {
            throw PostgresError.unavailable(reason: "no answer")
        }
        return rows
    }

    /// Runs several statements in one round trip. From any context.
    /// - Returns: One answer for each statement.
    /// - Throws: ``PostgresError`` of the first that failed.
    public func batch(_ statements: [PostgresStatement]) async throws -> [PostgresRows] {
        let encoded = try statements.map { try EncodedStatement($0) }
        return try await withCheckedThrowingContinuation { continuation in
            connection.loop.execute { self.run(encoded) { continuation.resume(with: $0) } }
        }
    }

    private func run(
        _ statements: [EncodedStatement], completion: @escaping (Result<[PostgresRows], PostgresError>) -> Void
    ) {
        var statements = statements
        var isFirst = false
        switch state {
        case .over: return completion(.failure(.unavailable(reason: "the transaction is over")))
        case .failed(let error): return completion(.failure(error))
        case .begun: break
        case .untouched:
            // In the same batch: should BEGIN fail, nothing after it runs on its own.
            statements.insert(Self.begin, at: 0)
            isFirst = true
            state = .begun
        }
        connection.submit(statements) { [self] outcome in
            if case .failure(let error) = outcome.result, case .begun = state { state = .failed(error) }
            completion(outcome.result.map { isFirst ? Array($0.dropFirst()) : $0 })
        }
    }

    func commit() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            connection.loop.execute {
                switch self.state {
                case .over, .untouched:
                    self.end()
                    continuation.resume()
                case .failed(let error):
                    // The body swallowed an error; a COMMIT would be a ROLLBACK in disguise.
                    continuation.resume(throwing: error)
                case .begun:
                    self.connection.submit([Self.commit]) { outcome in
                        if case .failure(let error) = outcome.result { self.state = .failed(error) } else { self.end() }
                        continuation.resume(with: outcome.result.map { _ in })
                    }
                }
            }
        }
    }

    /// Gives the connection back in a clean state, or not at all.
    func rollback() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            connection.loop.execute {
                switch self.state {
                case .over, .untouched:
                    self.end()
                    continuation.resume()
                case .begun, .failed:
                    self.connection.submit([Self.rollback]) { outcome in
                        if case .failure = outcome.result {
                            self.connection.close(.unavailable(reason: "a transaction could not be rolled back"))
                        }
                        self.end()
                        continuation.resume()
                    }
                }
            }
        }
    }

    private func end() {
        state = .over
        release?()
        release = nil
    }

    static let begin = constant("BEGIN")
    static let commit = constant("COMMIT")
    static let rollback = constant("ROLLBACK")

    private static func constant(_ sql: StaticString) -> EncodedStatement {
        guard let statement = try? EncodedStatement("\(sql)") else {
            preconditionFailure("a constant without parameters and NUL characters is always encoded")
        }
        return statement
    }
}
