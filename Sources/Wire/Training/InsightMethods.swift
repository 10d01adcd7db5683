// Personal analytics (C-3).

/// Figures of a day with data.
public struct InsightDay: Codable, Sendable, Equatable {
    /// Day in the time zone of the request, such as `2026-11-28`.
    public var date: String
    /// Trainings that ended, by the day of their start.
    public var trainings: Int
    /// Active minutes.
    public var minutes: Double
    /// Sets done.
    public var sets: Int
    public var reps: Int
    /// Kilocalories.
    public var gross: Int
    /// Kilocalories.
    public var net: Int
    /// Distance of finished runs and rides.
    public var metres: Double
    /// Entered steps, or those estimated from runs.
    public var steps: Int?
    /// Whether the steps are estimated from the distance and the height.
    public var stepsEstimated: Bool
    /// Weight of the day.
    public var kilograms: Double?
    /// Entered resting heart rate.
    public var restingPulse: Int?
    /// Average heart rate of the day's trainings.
    public var averagePulse: Int?
    public var maximumPulse: Int?
    public init(
        date: String, trainings: Int, minutes: Double, sets: Int, reps: Int, gross: Int, net: Int, metres: Double,
        steps: Int? = nil, stepsEstimated: Bool, kilograms: Double? = nil, restingPulse: Int? = nil,
        averagePulse: Int? = nil, maximumPulse: Int? = nil
    ) {
        self.date = date
        self.trainings = trainings
        self.minutes = minutes
        self.sets = sets
        self.reps = reps
        self.gross = gross
        self.net = net
        self.metres = metres
        self.steps = steps
        self.stepsEstimated = stepsEstimated
        self.kilograms = kilograms
        self.restingPulse = restingPulse
        self.averagePulse = averagePulse
        self.maximumPulse = maximumPulse
    }
}

/// Entered figure of a day that can be cleared.
public enum DayFigure: String, WireChoice {
    case steps, restingPulse
}

/// Daily and weekly goals; nil for none.
public struct InsightGoals: Codable, Sendable, Equatable {
    /// 100 to 100,000.
    @Count public var daySteps: Int?
    /// Net kilocalories, 10 to 10,000.
    @Count public var dayCalories: Int?
    /// 1 to 50.
    @Count public var weekTrainings: Int?
    /// 1 to 10,080.
    @Count public var weekMinutes: Int?
    public init(daySteps: Int? = nil, dayCalories: Int? = nil, weekTrainings: Int? = nil, weekMinutes: Int? = nil) {
        self.daySteps = daySteps
        self.dayCalories = dayCalories
        self.weekTrainings = weekTrainings
        self.weekMinutes = weekMinutes
    }
}

/// An event that the caller takes part in, or a scheduled workout. A workout that is planned at an event has both ids.
public struct UpcomingEvent: Codable, Sendable, Equatable {
    public var title: String
    public var startsAt: Timestamp
    public var event: Int64?
    /// UUID of the scheduled workout.
    public var workout: String?
    public init(title: String, startsAt: Timestamp, event: Int64? = nil, workout: String? = nil) {
        self.title = title
        self.startsAt = startsAt
        self.event = event
        self.workout = workout
    }
}

/// Personal analytics of a span of days.
public struct Insights: Codable, Sendable, Equatable {
    public var from: String
    public var to: String
    /// Days with data, oldest first.
    public var days: [InsightDay]
    public var goals: InsightGoals
    /// Figures of today; nil without data.
    public var today: InsightDay?
    /// Trainings of the present week, from Monday.
    public var weekTrainings: Int
    public var weekMinutes: Double
    public var heightCentimetres: Double?
    /// The latest weight.
    public var kilograms: Double?
    /// The next 5.
    public var upcoming: [UpcomingEvent]
    public init(
        from: String, to: String, days: [InsightDay], goals: InsightGoals, today: InsightDay? = nil, weekTrainings: Int,
        weekMinutes: Double, heightCentimetres: Double? = nil, kilograms: Double? = nil, upcoming: [UpcomingEvent]
    ) {
        self.from = from
        self.to = to
        self.days = days
        self.goals = goals
        self.today = today
        self.weekTrainings = weekTrainings
        self.weekMinutes = weekMinutes
        self.heightCentimetres = heightCentimetres
        self.kilograms = kilograms
        self.upcoming = upcoming
    }
}

public enum InsightsGet: RPCMethod {
    public static let name = "insights.get"
    public static let summary = """
        Returns personal analytics of a span of days.
        """
    public static let access = MethodAccess.accounts
    public static let limits: [MethodLimit] = [.each(.list)]
    public struct Params: Codable, Sendable {
        /// First day.
        public var from: String
        /// Last day, at most 400 days after the first.
        public var to: String
        /// Time zone that defines days, such as `Europe/Berlin`. Default: the last one given, otherwise UTC.
        public var timeZone: String?
        public init(from: String, to: String, timeZone: String? = nil) {
            self.from = from
            self.to = to
            self.timeZone = timeZone
        }
    }
    public typealias Result = Insights
}

public enum InsightsSaveGoals: RPCMethod {
    public static let name = "insights.saveGoals"
    public static let summary = """
        Sets the daily and weekly goals. Omitted goals are removed.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public typealias Params = InsightGoals
    public typealias Result = InsightGoals
}

public enum InsightsSaveDay: RPCMethod {
    public static let name = "insights.saveDay"
    public static let summary = """
        Sets or clears steps or the resting heart rate of a day, entered by hand or from a file. Omitted members keep their value.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public struct Params: Codable, Sendable {
        /// Day, not in the future.
        public var date: String
        /// 0 to 200,000.
        @Count public var steps: Int?
        /// 25 to 120 beats per minute.
        @Count public var restingPulse: Int?
        /// Figures to remove.
        public var clear: [DayFigure]?
        public init(date: String, steps: Int? = nil, restingPulse: Int? = nil, clear: [DayFigure]? = nil) {
            self.date = date
            self.steps = steps
            self.restingPulse = restingPulse
            self.clear = clear
        }
    }
    public typealias Result = Empty
}

extension APIRegistry {
    static let insight: [any RPCMethod.Type] = [InsightsGet.self, InsightsSaveGoals.self, InsightsSaveDay.self]
}
