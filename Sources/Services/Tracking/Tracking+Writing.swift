import EventLoop
import Postgres
import Wire

/// The way of points into the database. What arrives within ``groupWindow``, and before that while a group is being committed, is the
/// next group: one statement and one commit for the points of hundreds of runners.
extension Tracking {
    /// How long the first points of a group wait for company. Nobody sees it: spectators have the positions already, and a phone
    /// sends its next points a second later.
    static let groupWindow = Duration.milliseconds(50)
    /// Sessions in one group.
    static let groupSessionsMax = 500
    /// Points in one group; a request has at most ``Wire/TrackingPoints/pointsPerRequestMax``.
    static let groupPointsMax = 5_000
    /// Sessions whose points may wait for their group.
    static let waitingWritesMax = 20_000

    /// Points that wait for their commit.
    struct WaitingWrite {
        let write: PointWrite
        /// Called on the loop once it is committed, or is not.
        let completion: (Result<Void, any Error>) -> Void
    }

    /// What the writer of points is to be configured with: the groups are made here.
    public static func writing(_ configuration: PostgresConfiguration) -> PostgresConfiguration {
        var configuration = configuration
        configuration.groupWindow = .zero
        return configuration
    }

    /// Commits points and the sums that they make. The session's lock is held, so that a group has it once.
    /// - Throws: ``Wire/RPCError`` when another server writes the session, ``Postgres/PostgresError``: `unavailable` leaves
    ///   it open whether they are stored.
    func store(_ write: PointWrite) async throws {
        try await withCheckedThrowingContinuation { continuation in store(write) { continuation.resume(with: $0) } }
    }

    /// The same for who does not wait in a task.
    /// - Parameter completion: Called on the loop, later or now.
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
            // One of them is at fault, and only that one is to hear of it.
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
    /// What is in memory is old: the next request takes the session back, as it is then.
    static let takenElsewhere = RPCError(
        .unavailable, "the session went on at another server: send again", retryAfter: 0.1)

    // MARK: Homes

    /// The first statement of a transaction that changes a session: it fails, and all with it, when another server has taken the
    /// session since.
    static func guardHome(of record: SessionRecord) -> PostgresStatement {
        PostgresStatement(
            "UPDATE sessions SET home = CASE home WHEN $2 THEN home ELSE -1 END WHERE id = $1",
            [.int(record.session.id), .int(record.home)])
    }

    /// Before an answer from memory alone.
    /// - Throws: ``Wire/RPCError`` when another server has taken the session, ``Postgres/PostgresError``.
    func checkHome(of record: SessionRecord) async throws {
        guard record.session.state != .finished else { return }
        let rows = try await database.query(
            "SELECT 1 FROM sessions WHERE id = $1 AND home = $2", [.int(record.session.id), .int(record.home)])
        guard rows.first == nil else { return }
        records[record.session.id] = nil
        throw Self.takenElsewhere
    }

    /// Commits a change of a session.
    /// - Throws: ``Wire/RPCError`` when another server writes the session, ``Postgres/PostgresError``.
    func writeGuarded(_ record: SessionRecord, _ statements: [PostgresStatement]) async throws {
        try await Self.refusing { _ = try await writer.write([Self.guardHome(of: record)] + statements) }
    }

    /// Says in the client's words that ``guardHome(of:)`` failed.
    static func refusing(isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch PostgresError.server(_, _, constraint: "sessions_home") {
            throw takenElsewhere
        }
    }
}
