import EventLoop
import Foundation
import Postgres
import Training
import Wire

/// Body data (C-2, W-1): height, weights, injuries, conditions and goals. Every statement names the owner; no method reads those of another
/// account, and nothing here is logged.
///
/// An actor on the hub's loop.
public actor BodyRecords {
    static let weightsMax = 4_000
    static let injuriesMax = 100
    static let goalsMax = 3
    static let height = 50.0...250.0
    static let kilograms = 20.0...400.0
    static let restingPulse = 25...120
    static let maximumPulse = 100...240
    /// Longest span of `body.weights`.
    static let weightDaysMax = 3_660
    static let weightDaysDefault = 365
    /// Age of a last period that is still accepted.
    static let lastPeriodDaysMax = 366
    /// Age after which the app asks again before a workout.
    static let staleDays = 30.0

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - loop: The hub's loop.
    ///   - now: The server's wall clock.
    public init(loop: EventLoop, database: PostgresPool, now: @escaping @Sendable () -> Timestamp = { .now }) {
        self.loop = loop
        self.database = database
        self.now = now
    }

    // MARK: Reading

    /// Returns the caller's body data.
    /// - Throws: ``Postgres/PostgresError``.
    public func data(of identity: Identity) async throws -> BodyData { try await known(of: identity.account.id).data }

    /// Body data of an account with the profile's age and gender, for rules and calories.
    func known(of account: Int64) async throws -> KnownBody {
        guard let row = try await database.query(KnownBody.sql, [.int(account)]).first else {
            throw Accounts.accountUnavailable
        }
        return try KnownBody(row, now: now())
    }

    /// Returns the caller's weights of a span of days.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func weights(_ params: BodyWeights.Params, of identity: Identity) async throws -> BodyWeightList {
        let last = try params.to.map { try Day.valid($0, "to") } ?? Day.latest(now())
        let first = try params.from.map { try Day.valid($0, "from") } ?? Day.adding(-Self.weightDaysDefault, to: last)
        let days = Day.number(last) - Day.number(first)
        guard (0...Self.weightDaysMax).contains(days) else {
            throw RPCError.invalid("to", "must be 0 to \(Self.weightDaysMax) days after from")
        }
        let rows = try await database.query(
            """
            SELECT day::text AS day, kilograms FROM body_weights
            WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date ORDER BY body_weights.day LIMIT $4
            """, [.int(identity.account.id), .text(first), .text(last), .int(Int64(Self.weightsMax))])
        return BodyWeightList(
            weights: try rows.map { BodyWeight(date: try $0.text("day"), kilograms: try $0.double("kilograms")) })
    }

    // MARK: Changing

    /// Confirms that the body data is up to date.
    /// - Throws: ``Postgres/PostgresError``.
    public func confirm(_ identity: Identity) async throws -> BodyData {
        _ = try await database.query(
            """
            INSERT INTO body_data (account_id, confirmed_at) VALUES ($1, $2)
            ON CONFLICT (account_id) DO UPDATE SET confirmed_at = greatest(body_data.confirmed_at, excluded.confirmed_at)
            """, [.int(identity.account.id), .timestamp(now().milliseconds)])
        return try await data(of: identity)
    }

    /// Changes the given members.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func save(_ params: BodySave.Params, of identity: Identity) async throws -> BodyData {
        let change = try BodyChange(params, now: now())
        let account = identity.account.id
        try await database.transaction { [now] transaction in
            _ = try await transaction.query(Accounts.lock, [.intArray([account])])
            guard let row = try await transaction.query(KnownBody.sql, [.int(account)]).first else {
                throw Accounts.accountUnavailable
            }
            let data = try change.applied(to: try KnownBody(row, now: now()).data)
            try await Self.store(data, of: account, at: now(), in: transaction)
        }
        return try await self.data(of: identity)
    }

    private static func store(
        _ data: BodyData, of account: Int64, at time: Timestamp, in transaction: PostgresTransaction
    ) async throws {
        _ = try await transaction.query(
            """
            INSERT INTO body_data (account_id, height, conditions, goals, last_period, last_period_skip, resting_pulse,
                maximum_pulse, confirmed_at)
            VALUES ($1, $2, $3, $4, $5::date, $6, $7, $8, $9)
            ON CONFLICT (account_id) DO UPDATE SET height = excluded.height, conditions = excluded.conditions,
                goals = excluded.goals, last_period = excluded.last_period, last_period_skip = excluded.last_period_skip,
                resting_pulse = excluded.resting_pulse, maximum_pulse = excluded.maximum_pulse,
                confirmed_at = greatest(body_data.confirmed_at, excluded.confirmed_at)
            """,
            [
                .int(account), .optional(data.heightCentimetres), .textArray(data.conditions.map(\.rawValue)),
                .textArray(data.goals.map(\.rawValue)), .optional(data.lastPeriod?.date),
                .optional(data.lastPeriod?.skipped?.rawValue), .optional(data.restingPulse.map(Int64.init)),
                .optional(data.maximumPulse.map(Int64.init)), .timestamp(time.milliseconds),
            ])
    }

    /// Adds an injury, or changes the one with the same id.
    /// - Throws: ``Wire/RPCError``: `conflict` for too many injuries; ``Postgres/PostgresError``.
    public func save(_ params: BodySaveInjury.Params, of identity: Identity) async throws -> BodyData {
        let id = try Inputs.clientID(params.id)
        let from = try Day.past(params.from, "from", now: now())
        let until = try params.until.map { try Day.valid($0, "until") }
        if let until, until < from { throw RPCError.invalid("until", "must not be before from") }
        let note = try Inputs.text(
            Inputs.composed(params.note, charactersMax: TextLimit.injuryNote.max), "note",
            charactersMax: TextLimit.injuryNote.max, isAllowed: Inputs.isLayout)
        let account = identity.account.id
        try await database.transaction { transaction in
            _ = try await transaction.query(Accounts.lock, [.intArray([account])])
            let others = try await transaction.query(
                "SELECT count(*) AS n FROM injuries WHERE account_id = $1 AND id <> $2", [.int(account), .uuid(id)])
            guard try others.first?.int("n") ?? 0 < Self.injuriesMax else {
                throw RPCError(.conflict, "there are \(Self.injuriesMax) injuries already: remove one first")
            }
            _ = try await transaction.query(
                """
                INSERT INTO injuries (account_id, id, type, area, from_day, until_day, note)
                VALUES ($1, $2, $3, $4, $5::date, $6::date, $7)
                ON CONFLICT (account_id, id) DO UPDATE SET type = excluded.type, area = excluded.area,
                    from_day = excluded.from_day, until_day = excluded.until_day, note = excluded.note
                """,
                [
                    .int(account), .uuid(id), .text(params.type.rawValue), .text(params.area.rawValue), .text(from),
                    .optional(until), .optional(note.isEmpty ? nil : note),
                ])
        }
        return try await data(of: identity)
    }

    /// Removes an injury of the caller.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func remove(_ params: BodyRemoveInjury.Params, of identity: Identity) async throws -> BodyData {
        _ = try await database.query(
            "DELETE FROM injuries WHERE account_id = $1 AND id = $2",
            [.int(identity.account.id), .uuid(try Inputs.clientID(params.id))])
        return try await data(of: identity)
    }

    /// Sets the weight of a day.
    /// - Throws: ``Wire/RPCError``: ``Postgres/PostgresError``.
    public func save(_ params: BodySaveWeight.Params, of identity: Identity) async throws -> BodyData {
        let day = try Day.past(params.date, "date", now: now())
        guard Self.kilograms.contains(params.kilograms) else {
            throw RPCError.invalid("kilograms", "must be 20 to 400")
        }
        let kilograms = (params.kilograms * 10).rounded() / 10
        let account = identity.account.id
        try await database.transaction { transaction in
            _ = try await transaction.query(Accounts.lock, [.intArray([account])])
            let others = try await transaction.query(
                "SELECT count(*) AS n FROM body_weights WHERE account_id = $1 AND day <> $2::date",
                [.int(account), .text(day)])
            guard try others.first?.int("n") ?? 0 < Self.weightsMax else {
                throw RPCError.invalid(
                    "date", "is one too many: \(Self.weightsMax) days have a weight, remove one first")
            }
            _ = try await transaction.query(
                """
                INSERT INTO body_weights (account_id, day, kilograms) VALUES ($1, $2::date, $3)
                ON CONFLICT (account_id, day) DO UPDATE SET kilograms = excluded.kilograms
                """, [.int(account), .text(day), .double(kilograms)])
        }
        return try await data(of: identity)
    }

    /// Removes the weight of a day.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func remove(_ params: BodyRemoveWeight.Params, of identity: Identity) async throws -> BodyData {
        _ = try await database.query(
            "DELETE FROM body_weights WHERE account_id = $1 AND day = $2::date",
            [.int(identity.account.id), .text(try Day.valid(params.date, "date"))])
        return try await data(of: identity)
    }
}
