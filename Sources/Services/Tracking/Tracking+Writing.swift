import EventLoop
import Postgres
import Wire

/// Group commit of points. Points that arrive within ``groupWindow``, or during the previous commit, form the next group: one statement
/// and one commit for the points of hundreds of sessions.
extension Tracking {
    /// Time for which the first points of a group wait for others. The delay is not noticeable: with a single node, viewers have the
    /// positions already, and a phone sends its next points a second later.
    static let groupWindow = Duration.milliseconds(50)
    /// Largest number of sessions in a group.
    static let groupSessionsMax = 500
    /// Number of points at which a group is full; a request has at most ``Wire/TrackingPoints/pointsPerRequestMax``.
    static let groupPointsMax = 5_000
    /// Largest number of writes waiting for a group.
    static let waitingWritesMax = 20_000

    /// Points waiting for their commit.
    struct WaitingWrite {
        let write: PointWrite
        /// Called on the loop with the result of the commit.
        let completion: (Result<Void, any Error>) -> Void
    }

    /// Configuration for the writer of points: it disables the writer's own grouping because this actor forms the groups.
    public static func writing(_ configuration: PostgresConfiguration) -> PostgresConfiguration {
        var configuration = configuration
        configuration.groupWindow = .zero
        return configuration
    }

    /// Commits points and the totals that include them. The caller holds the session's lock, so that a group contains each session once.
    /// - Throws: ``Wire/RPCError`` if another server owns the session, ``Postgres/PostgresError``. After `unavailable` the outcome is in
    ///   doubt.
    func store(_ write: PointWrite) async throws {
        try await withCheckedThrowingContinuation { continuation in store(write) { continuation.resume(with: $0) } }
    }

    /// Commits points for a caller without a task.
    /// - Parameter completion: Called on the loop, possibly before this function returns.
    func store(_ write: PointWrite, _ completion: @escaping (Result<Void, any Error>) -> Void) {
        guard waitingWrites.count < Self.waitingWritesMax else { return completion(.failure(PostgresError.overloaded)) }
        waitingWrites.append(WaitingWrite(write: write, completion: completion))
        guard !isWritingPoints else { return }
        isWritingPoints = true
        Task(executorPreference: loop) { [self] in await writeGroups() }
    }

    private func writeGroups() async {
        while !waitingWrites.isEmpty {
            if waitingWrites.count < Self.groupSessionsMax { await loop.sleep(for: Self.groupWindow) }
            await commit(nextGroup())
        }
        isWritingPoints = false
    }

    private func nextGroup() -> [WaitingWrite] {
        var group: [WaitingWrite] = []
        var points = 0
        while let next = waitingWrites.first, group.count < Self.groupSessionsMax, points < Self.groupPointsMax {
            points += next.write.judged.count
            group.append(next)
            waitingWrites.removeFirst()
        }
        return group
    }

    private func commit(_ waiting: [WaitingWrite]) async {
        let group = PointGroup(writes: waiting.map(\.write))
        do {
            guard let answer = try await writer.write([group.statement]).first else { throw Self.notWritten }
            let written = try group.written(answer)
            for one in waiting {
                if written.contains(one.write.record.session.id) {
                    one.completion(.success(()))
                } else {
                    one.completion(.failure(Self.takenElsewhere))
                }
            }
        } catch let error as PostgresError {
            // One write of the group is faulty; only its sender must get the error, so each is retried alone.
            if case .server = error, !error.isStorageFull, waiting.count > 1 {
                for one in waiting { await commit([one]) }
                return
            }
            for one in waiting { one.completion(.failure(error)) }
        } catch {
            for one in waiting { one.completion(.failure(error)) }
        }
    }

    private static let notWritten = RPCError(.internalError, "points were not stored")
    /// The record in memory is outdated: the next request takes the session over again in its stored state.
    static let takenElsewhere = RPCError(
        .unavailable, "the session went on at another server: send again", retryAfter: 0.1)

    // MARK: Fencing tokens

    /// First statement of a transaction that changes a session. It violates a constraint, and thus aborts the transaction, if another
    /// server has taken the session over.
    static func guardFencingToken(of record: SessionRecord) -> PostgresStatement {
        PostgresStatement(
            "UPDATE sessions SET home = CASE home WHEN $2 THEN home ELSE -1 END WHERE id = $1",
            [.int(record.session.id), .int(record.home)])
    }

    /// Confirms ownership before an answer from memory alone.
    /// - Throws: ``Wire/RPCError`` if another server has taken the session over, ``Postgres/PostgresError``.
    func checkOwnership(of record: SessionRecord) async throws {
        guard record.session.state != .finished else { return }
        let rows = try await database.query(
            "SELECT 1 FROM sessions WHERE id = $1 AND home = $2", [.int(record.session.id), .int(record.home)])
        guard rows.first == nil else { return }
        records[record.session.id] = nil
        throw Self.takenElsewhere
    }

    /// Commits a change of a session, guarded by its fencing token.
    /// - Throws: ``Wire/RPCError`` if another server owns the session, ``Postgres/PostgresError``.
    func writeGuarded(_ record: SessionRecord, _ statements: [PostgresStatement]) async throws {
        try await Self.refusing { _ = try await writer.write([Self.guardFencingToken(of: record)] + statements) }
    }

    /// Converts a failure of ``guardFencingToken(of:)`` into an error response.
    static func refusing(isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch PostgresError.server(_, _, constraint: "sessions_home") {
            throw takenElsewhere
        }
    }
}
