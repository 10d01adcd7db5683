import EventLoop

/// A transaction in progress, with exclusive use of a connection. It ends when the body that received it returns; do not keep it.
///
/// `@unchecked Sendable`: mutable state is confined to the connection's loop.
public final class PostgresTransaction: @unchecked Sendable {
    private enum State {
        /// No statement was sent. `BEGIN` goes into the same batch as the first one.
        case untouched
        case begun
        /// A statement failed or its outcome is in doubt. Only `ROLLBACK` is possible.
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

    /// Runs one statement in the transaction. After an error, all later statements fail with the same error. Callable from any
    /// thread.
    /// - Parameters:
    ///   - sql: One SQL statement with `$1`, `$2` for its parameters.
    ///   - parameters: The values of the placeholders.
    /// - Throws: ``PostgresError``.
    public func query(_ sql: String, _ parameters: [PostgresValue] = []) async throws -> PostgresRows {
        guard let rows = try await batch([PostgresStatement(sql, parameters)]).first else {
            throw PostgresError.unavailable(reason: "no answer")
        }
        return rows
    }

    /// Runs several statements in one round trip. Callable from any thread.
    /// - Returns: One result for each statement.
    /// - Throws: ``PostgresError`` of the first statement that failed.
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
            // In the same batch, so that no statement runs outside of the transaction if BEGIN fails.
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
                    // The body ignored an error. PostgreSQL would answer the COMMIT with a ROLLBACK.
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

    /// Rolls back and releases the connection. If the rollback fails, it closes the connection.
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
