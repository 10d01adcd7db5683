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

    func makePointGroups() -> GroupCommit<PointWrite, Void> {
        GroupCommit(
            loop: loop,
            limits: .init(
                window: Self.groupWindow, isPaced: true, groupItemsMax: Self.groupSessionsMax,
                groupSizeMax: Self.groupPointsMax, waitingItemsMax: Self.waitingWritesMax, waitingSizeMax: .max),
            refuse: { PostgresError.overloaded },
            write: { [writer] writes, arrival, completion in
                writer.transactions.write(
                    [PointGroup(writes: writes).statement], items: writes.count, arrival: arrival,
                    completion: completion)
            },
            read: { writes, answers, _ in
                guard let answer = answers.first else { throw Self.notWritten }
                let written = try PointGroup(writes: writes).written(answer)
                return .init(
                    answers: writes.map { write in
                        written.contains(write.record.session.id) ? .success(()) : .failure(Self.takenElsewhere)
                    })
            })
    }

    /// Commits points and the totals that include them. The caller holds the session's lock, so that a group contains each session once.
    /// - Throws: ``Wire/RPCError`` if another server owns the session, ``Postgres/PostgresError``. After `unavailable` the outcome is in
    ///   doubt.
    func store(_ write: PointWrite) async throws { try await pointGroups.submit(write, size: write.judged.count) }

    /// Commits points for a caller without a task.
    /// - Parameter completion: Called on the loop, possibly before this function returns.
    func store(_ write: PointWrite, _ completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        pointGroups.submit(write, size: write.judged.count, completion: completion)
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
            "UPDATE sessions SET fencing_token = CASE fencing_token WHEN $2 THEN fencing_token ELSE -1 END WHERE id = $1",
            [.int(record.session.id), .int(record.fencingToken)])
    }

    /// Confirms ownership before an answer from memory alone.
    /// - Throws: ``Wire/RPCError`` if another server has taken the session over, ``Postgres/PostgresError``.
    func checkOwnership(of record: SessionRecord) async throws {
        guard record.session.state != .finished else { return }
        let rows = try await database.query(
            "SELECT 1 FROM sessions WHERE id = $1 AND fencing_token = $2",
            [.int(record.session.id), .int(record.fencingToken)])
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
        } catch PostgresError.server(_, _, constraint: "sessions_fencing_token") {
            throw takenElsewhere
        }
    }
}
