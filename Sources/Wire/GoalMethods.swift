// Goals of a month (U-6), and what somebody has done in all (U-3).

/// How far somebody wants to get this month, and what they have.
public struct Goal: Codable, Sendable, Equatable {
    /// Whole kilometres, 10 to 999.
    public var kilometres: Int
    /// The month, such as `2026-11`, where the account is.
    public var month: String
    /// When the next one begins.
    public var endsAt: Timestamp
    /// Metres of sessions that began this month, since progress was put back last.
    public var distance: Double
    /// Of the goal; more than 100 for who went on.
    public var percent: Double
    /// When it was reached; nil when it is not.
    public var completedAt: Timestamp?
    /// When progress of this month was put back to nothing.
    public var resetAt: Timestamp?
    /// Of all sessions that are finished.
    public var totals: Totals

    /// What somebody has done to date.
    public struct Totals: Codable, Sendable, Equatable {
        /// How many.
        public var sessions: Int
        /// Metres.
        public var distance: Double
        /// Seconds, without pauses.
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

/// `goals.get`: this month's goal and progress.
public enum GoalsGet: RPCMethod {
    public static let name = "goals.get"
    public static let access = MethodAccess.accounts
    /// Where the caller is.
    public struct Params: Codable, Sendable {
        /// Where months begin, such as `Europe/Berlin`; the last one given, or UTC, unless given.
        public var timeZone: String?
        public init(timeZone: String? = nil) { self.timeZone = timeZone }
    }
    public typealias Result = Goal
}

/// `goals.save`: another goal, for this month and those to come.
public enum GoalsSave: RPCMethod {
    public static let name = "goals.save"
    public static let access = MethodAccess.accounts
    /// A goal.
    public struct Params: Codable, Sendable {
        /// Whole kilometres, 10 to 999, and not below what this month already has.
        @Quantity public var kilometres: Double
        /// As for `goals.get`.
        public var timeZone: String?
        public init(kilometres: Double, timeZone: String? = nil) {
            self.kilometres = kilometres
            self.timeZone = timeZone
        }
    }
    public typealias Result = Goal
}

/// `goals.reset`: this month's progress begins at nothing again. Sessions stay in the history.
public enum GoalsReset: RPCMethod {
    public static let name = "goals.reset"
    public static let access = MethodAccess.accounts
    public typealias Params = GoalsGet.Params
    public typealias Result = Goal
}
