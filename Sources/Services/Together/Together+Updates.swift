import Foundation
import Hub
import Postgres
import Synchronization
import Wire

/// Progress of members. The hub takes it in memory; PostgreSQL is written only when a member ends, or changes what it shares.
extension Together {
    static let countMax = 1_000
    static let exerciseCharactersMax = 120
    /// Largest distance in seconds of the end of a rest from now: the longest rest, and clocks that differ.
    static let restSecondsMax = 7_200.0

    static let unknownExercise = RPCError.invalid("position", "names an exercise that is not in the plan")

    /// Checks a position without a look at its group.
    /// - Throws: ``Wire/RPCError``.
    static func check(_ position: TrainingPosition, at: Timestamp) throws {
        func check(_ name: String, _ count: Int?, _ range: ClosedRange<Int>) throws {
            guard let count, !range.contains(count) else { return }
            throw RPCError.invalid("position.\(name)", "must be \(range.lowerBound) to \(range.upperBound)")
        }
        try check("set", position.set, 1...countMax)
        try check("sets", position.sets, 1...countMax)
        try check("setsDone", position.setsDone, 0...countMax)
        try check("setsTotal", position.setsTotal, 0...countMax)
        try check("zone", position.zone, 1...5)
        if let exercise = position.exercise, exercise.unicodeScalars.count > exerciseCharactersMax {
            throw unknownExercise
        }
        if let end = position.restEndsAt, abs(end.seconds(since: at)) > restSecondsMax {
            throw RPCError.invalid("position.restEndsAt", "must be within two hours of now")
        }
    }

    /// Takes the progress of a member without a task, if no database is needed.
    /// - Parameter completion: Called on any loop. Its value is nil if the request needs ``update(_:by:)``.
    public nonisolated func updateInline(
        _ params: TogetherUpdate.Params, by identity: Identity,
        _ completion: @escaping @Sendable (Result<Empty, any Error>?) -> Void
    ) throws {
        let id = try Self.id(params.group)
        try Self.check(params.position, at: now())
        hub.liveGroups.post(id, by: identity.account.id, params.position, sharesZone: params.sharesZone) { outcome in
            switch outcome {
            case .accepted: completion(.success(Empty()))
            case .notAMember: completion(.failure(Self.notFound))
            case .unknownExercise: completion(.failure(Self.unknownExercise))
            case .inDoubt, .needsDatabase: completion(nil)
            }
        }
    }

    /// Takes the progress of a member.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func update(_ params: TogetherUpdate.Params, by identity: Identity) async throws -> Empty {
        let account = identity.account.id
        let id = try Self.id(params.group)
        try Self.check(params.position, at: now())
        for _ in 0..<Self.readsMax {
            switch await hub.liveGroups.update(id, by: account, params.position, sharesZone: params.sharesZone) {
            case .accepted: return Empty()
            case .notAMember: throw Self.notFound
            case .unknownExercise: throw Self.unknownExercise
            case .inDoubt:
                // The zone is hidden also while a change is in doubt.
                if params.sharesZone == false { _ = try await prepare(id, params, by: identity) }
                throw Self.isChanging
            case .needsDatabase:
                // The others see neither a late position of a training that has ended, nor an end that the server does not have.
                guard try await prepare(id, params, by: identity) else { return Empty() }
            }
        }
        throw Self.isChanging
    }

    private static let isChanging = RPCError(
        .unavailable, "the live group is changing: try again", retryAfter: 1)

    /// Stores that a member ends its training, or what it shares, and loads the group into the hub.
    /// - Returns: False if the position does not count: the member has ended its training, or says so while its training is open. The
    ///   start of another one makes it take part again (``begun(_:by:)``).
    private func prepare(_ id: UUID, _ params: TogetherUpdate.Params, by identity: Identity) async throws -> Bool {
        let account = identity.account.id
        if params.sharesZone == false { await hub.liveGroups.withdrawZone(of: account, in: id) }
        guard var stored = try await table.groups([id]).first, let member = stored.member(account), member.takesPart
        else { throw Self.notFound }
        guard stored.endedAt == nil else { throw Self.notFound }
        if let exercise = params.position.exercise, !stored.exercises.contains(exercise) { throw Self.unknownExercise }
        let wantsEnd = params.position.phase == .finished
        let at = now()
        if wantsEnd && member.state != .finished || params.sharesZone.map({ $0 != member.sharesZone }) == true {
            // The state above is from before the lock. Only the locked one decides: another request may have ended the training, or the
            // sharing of the zone, meanwhile.
            stored = try await change(id) { transaction in
                let locked = try await Self.lock(id, for: identity, transaction)
                guard locked.group.endedAt == nil, locked.member.takesPart else { throw Self.notFound }
                var state = locked.member.state
                if wantsEnd, try await !Self.isTraining(account, in: id, transaction) { state = .finished }
                guard
                    state != locked.member.state
                        || (params.sharesZone ?? locked.member.sharesZone) != locked.member.sharesZone
                else { return }
                _ = try await transaction.query(
                    """
                    UPDATE live_group_members SET state = $3, since = CASE WHEN state = $3 THEN since ELSE $4 END,
                        shares_zone = coalesce($5, shares_zone)
                    WHERE group_id = $1 AND account_id = $2
                    """,
                    [
                        .uuid(id.uuidString), .int(account), .text(state.rawValue), .timestamp(at.milliseconds),
                        .optional(params.sharesZone),
                    ])
            }
        }
        do {
            try await hub.liveGroups.load(stored)
        } catch is LiveGroupFeed.Outdated {
            // The next attempt reads it again.
        } catch is LiveGroupFeed.NotAMember {
            throw Self.notFound
        } catch is LiveGroupFeed.TooManyGroups {
            throw Self.tooMany
        }
        return (stored.member(account)?.state == .finished) == wantsEnd
    }

    /// Whether an account has an open training of a group. The server may still refuse its end, so its member takes part until then.
    private static func isTraining(
        _ account: Int64, in group: UUID, _ transaction: PostgresTransaction
    ) async throws -> Bool {
        let rows = try await transaction.query(
            "SELECT FROM trainings WHERE account_id = $1 AND together_id = $2 AND ended_at IS NULL LIMIT 1",
            [.int(account), .uuid(group.uuidString)])
        return !rows.isEmpty
    }
}

/// Accounts that a transaction, which may be repeated, has found.
final class Fresh: Sendable {
    private let found = Mutex<[Int64]>([])

    var accounts: [Int64] { found.withLock { $0 } }
    func set(_ accounts: [Int64]) { found.withLock { $0 = accounts } }
}
