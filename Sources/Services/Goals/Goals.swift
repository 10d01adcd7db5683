import EventLoop
import Foundation
import Postgres
import Wire

/// Monthly distance goals (U-6). Progress is computed from the sessions at each request.
///
/// An actor on the hub's loop.
public actor Goals {
    /// Permitted distance of a goal, in kilometres.
    static let kilometres = 10...999
    static let kilometresDefault = 50

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let database: PostgresPool
    private let now: @Sendable () -> Timestamp
    private let reached: @Sendable (Int64, Goal) async -> Void

    /// Creates the service of goals.
    /// - Parameters:
    ///   - loop: The hub's loop.
    ///   - now: The server's wall clock.
    ///   - reached: Notifies an account that it reached its goal, once a month.
    public init(
        loop: EventLoop, database: PostgresPool, now: @escaping @Sendable () -> Timestamp = { .now },
        reached: @escaping @Sendable (Int64, Goal) async -> Void = { _, _ in }
    ) {
        self.loop = loop
        self.database = database
        self.now = now
        self.reached = reached
    }

    /// Returns this month's goal and progress, and the totals of all sessions.
    /// - Throws: ``Wire/RPCError`` with the field `timeZone`, ``Postgres/PostgresError``.
    public func goal(_ params: GoalsGet.Params, of identity: Identity) async throws -> Goal {
        let account = identity.account.id
        let zone = try params.timeZone.map { try Month.zone($0) }
        if let name = params.timeZone { try await remember(name, of: account) }
        return try await goal(of: account, in: zone)
    }

    /// Sets the goal. A goal below this month's distance is rejected (U-6).
    /// - Throws: ``Wire/RPCError``: `rejected` with the messages of U-6, `invalidParams`; ``Postgres/PostgresError``.
    public func save(_ params: GoalsSave.Params, of identity: Identity) async throws -> Goal {
        let account = identity.account.id
        let zone = try params.timeZone.map { try Month.zone($0) }
        guard params.kilometres <= Double(Self.kilometres.upperBound) else {
            throw RPCError(.rejected, "Goal must not exceed 999KM", field: "kilometres")
        }
        guard let kilometres = Int(exactly: params.kilometres), Self.kilometres.contains(kilometres) else {
            throw RPCError(.rejected, "Goal must be between 10-999 km", field: "kilometres")
        }
        let current = try await goal(of: account, in: zone)
        guard Double(kilometres) * 1_000 >= current.distance else {
            let has = String(format: "%.2f", current.distance / 1_000)
            throw RPCError(
                .rejected, "Goal must not be below the \(has) km that this month already has", field: "kilometres")
        }
        _ = try await database.query(
            """
            INSERT INTO goals AS g (account_id, kilometres, time_zone) VALUES ($1, $2, coalesce($3, 'UTC'))
            ON CONFLICT (account_id) DO UPDATE SET kilometres = excluded.kilometres, time_zone = coalesce($3, g.time_zone)
            """, [.int(account), .int(Int64(kilometres)), .optional(params.timeZone)])
        return try await goal(of: account, in: zone)
    }

    /// Resets this month's progress to zero without changing sessions. Repeating a request that states its time is harmless.
    /// - Throws: ``Wire/RPCError`` with the field `timeZone`, ``Postgres/PostgresError``.
    public func reset(_ params: GoalsReset.Params, of identity: Identity) async throws -> Goal {
        let account = identity.account.id
        let zone = try params.timeZone.map { try Month.zone($0) }
        let time = now()
        _ = try await database.query(
            """
            INSERT INTO goals AS g (account_id, reset_at, time_zone) VALUES ($1, $2, coalesce($3, 'UTC'))
            ON CONFLICT (account_id) DO UPDATE SET reset_at = greatest(g.reset_at, excluded.reset_at),
                time_zone = coalesce($3, g.time_zone)
            """, [.int(account), .timestamp(min(params.at ?? time, time).milliseconds), .optional(params.timeZone)])
        return try await goal(of: account, in: zone)
    }

    /// Notifies an account after a session if it has reached its goal. If this fails, the next session repeats the check.
    /// - Throws: ``Postgres/PostgresError``.
    public func sessionEnded(of account: Int64) async throws {
        let goal = try await goal(of: account, in: nil)
        guard goal.completedAt != nil else { return }
        let rows = try await database.query(
            """
            INSERT INTO goals AS g (account_id, notified_month) VALUES ($1, ($2 || '-01')::date)
            ON CONFLICT (account_id) DO UPDATE SET notified_month = excluded.notified_month
            WHERE g.notified_month IS DISTINCT FROM excluded.notified_month RETURNING account_id
            """, [.int(account), .text(goal.month)])
        if !rows.isEmpty { await reached(account, goal) }
    }

    // MARK: Progress

    private func remember(_ zone: String, of account: Int64) async throws {
        _ = try await database.query(
            """
            INSERT INTO goals AS g (account_id, time_zone) VALUES ($1, $2)
            ON CONFLICT (account_id) DO UPDATE SET time_zone = excluded.time_zone
            WHERE g.time_zone IS DISTINCT FROM excluded.time_zone
            """, [.int(account), .text(zone)])
    }

    /// - Parameter zone: Time zone of the month; nil for the account's stored zone.
    private func goal(of account: Int64, in zone: TimeZone?) async throws -> Goal {
        let known = try await database.query(
            "SELECT kilometres, time_zone, reset_at FROM goals WHERE account_id = $1", [.int(account)]
        ).first
        let name = try known?.text("time_zone")
        let kilometres = try known.map { Int(try $0.int("kilometres")) } ?? Self.kilometresDefault
        let month = Month(now(), in: zone ?? name.flatMap { try? Month.zone($0) } ?? .gmt)
        let rows = try await database.query(
            "SELECT p.*, t.sessions, t.distance AS total, t.seconds FROM goal_progress($1, $2, $3, $4) p, account_totals($1) t",
            [
                .int(account), .timestamp(month.start.milliseconds), .timestamp(month.end.milliseconds),
                .double(Double(kilometres) * 1_000),
            ])
        guard let row = rows.first else { throw RPCError(.internalError, "a goal has no progress") }
        let distance = try row.double("distance")
        let reset = try known?.optionalTimestamp("reset_at").map { Timestamp(milliseconds: $0) }
        return Goal(
            kilometres: kilometres, month: month.name, endsAt: month.end, distance: distance,
            percent: distance / Double(kilometres) / 10,
            completedAt: try row.optionalTimestamp("completed_at").map { Timestamp(milliseconds: $0) },
            resetAt: reset.flatMap { $0 >= month.start ? $0 : nil },
            totals: Goal.Totals(
                sessions: Int(try row.int("sessions")), distance: try row.double("total"),
                elapsed: try row.double("seconds")))
    }
}
