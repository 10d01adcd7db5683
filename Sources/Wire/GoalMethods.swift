// Monthly goals (U-6) and totals (U-3).

/// A monthly goal with the progress towards it.
public struct Goal: Codable, Sendable, Equatable {
    /// Whole kilometres, 10 to 999.
    public var kilometres: Int
    /// Month such as `2026-11`, in the account's time zone.
    public var month: String
    /// Start of the next month.
    public var endsAt: Timestamp
    /// Metres of sessions that began this month, counted since the last reset.
    public var distance: Double
    /// Percentage of the goal; above 100 for a distance beyond the goal.
    public var percent: Double
    /// Time at which the goal was reached; nil before that.
    public var completedAt: Timestamp?
    /// Time of this month's last reset.
    public var resetAt: Timestamp?
    /// Totals of all finished sessions.
    public var totals: Totals

    /// Totals over all finished sessions of an account.
    public struct Totals: Codable, Sendable, Equatable {
        /// Number of sessions.
        public var sessions: Int
        /// Metres.
        public var distance: Double
        /// Seconds without pauses.
        public var elapsed: Double
        public init(sessions: Int, distance: Double, elapsed: Double) {
            self.sessions = sessions
            self.distance = distance
            self.elapsed = elapsed
        }
    }

    public init(
        kilometres: Int, month: String, endsAt: Timestamp, distance: Double, percent: Double, completedAt: Timestamp?,
        resetAt: Timestamp?, totals: Totals
    ) {
        self.kilometres = kilometres
        self.month = month
        self.endsAt = endsAt
        self.distance = distance
        self.percent = percent
        self.completedAt = completedAt
        self.resetAt = resetAt
        self.totals = totals
    }
}

public enum GoalsGet: RPCMethod {
    public static let name = "goals.get"
    public static let summary = "Returns this month's goal and progress."
    public static let access = MethodAccess.accounts
    public struct Params: Codable, Sendable {
        /// Time zone that defines months, such as `Europe/Berlin`. Default: the last one given, otherwise UTC.
        public var timeZone: String?
        public init(timeZone: String? = nil) { self.timeZone = timeZone }
    }
    public typealias Result = Goal
}

public enum GoalsSave: RPCMethod {
    public static let name = "goals.save"
    public static let summary = "Sets the goal of this and later months."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.rejected]
    public struct Params: Codable, Sendable {
        /// Whole kilometres, 10 to 999, and not below this month's distance.
        @Quantity public var kilometres: Double
        /// As in `goals.get`.
        public var timeZone: String?
        public init(kilometres: Double, timeZone: String? = nil) {
            self.kilometres = kilometres
            self.timeZone = timeZone
        }
    }
    public typealias Result = Goal
}

public enum GoalsReset: RPCMethod {
    public static let name = "goals.reset"
    public static let summary = "Resets this month's progress to 0. Sessions stay in the history."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public struct Params: Codable, Sendable {
        /// As in `goals.get`.
        public var timeZone: String?
        /// Time from which the progress counts, for a request that waited. Default: now. A time in the future counts as now, and one before
        /// an earlier reset has no effect.
        public var at: Timestamp?
        public init(timeZone: String? = nil, at: Timestamp? = nil) {
            self.timeZone = timeZone
            self.at = at
        }
    }
    public typealias Result = Goal
}

extension APIRegistry {
    static let goals: [any RPCMethod.Type] = [GoalsGet.self, GoalsSave.self, GoalsReset.self]
}
