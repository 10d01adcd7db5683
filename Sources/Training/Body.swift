import Wire

/// An injury that has not healed.
public struct ActiveInjury: Sendable, Equatable {
    public var area: BodyArea
    public var type: InjuryType
    public init(area: BodyArea, type: InjuryType) {
        self.area = area
        self.type = type
    }
}

/// The body data of a person on one day, as far as exercises and calories depend on it.
public struct Body: Sendable, Equatable {
    public var injuries: [ActiveInjury]
    public var conditions: [HealthCondition]
    public var goals: [FitnessGoal]
    /// Full years.
    public var age: Int?
    public var sex: Gender?
    public var heightCentimetres: Double?
    /// Weight of the day.
    public var kilograms: Double?
    public var restingPulse: Int?
    /// Measured maximum.
    public var maximumPulse: Int?
    public init(
        injuries: [ActiveInjury] = [], conditions: [HealthCondition] = [], goals: [FitnessGoal] = [], age: Int? = nil,
        sex: Gender? = nil, heightCentimetres: Double? = nil, kilograms: Double? = nil, restingPulse: Int? = nil,
        maximumPulse: Int? = nil
    ) {
        self.injuries = injuries
        self.conditions = conditions
        self.goals = goals
        self.age = age
        self.sex = sex
        self.heightCentimetres = heightCentimetres
        self.kilograms = kilograms
        self.restingPulse = restingPulse
        self.maximumPulse = maximumPulse
    }

    /// Body data on a day, or on the days that it is at one instant in different time zones.
    /// - Parameter days: Such as `2026-11-28`. An injury counts if it lasts on one of them.
    public init(_ data: BodyData, on days: ClosedRange<String>, age: Int?, sex: Gender?, kilograms: Double?) {
        self.init(
            injuries: data.injuries.filter {
                $0.from <= days.upperBound && days.lowerBound <= $0.until ?? days.lowerBound
            }.map { ActiveInjury(area: $0.area, type: $0.type) },
            conditions: Self.conditions(of: data), goals: data.goals, age: age, sex: sex,
            heightCentimetres: data.heightCentimetres, kilograms: kilograms ?? data.weight?.kilograms,
            restingPulse: data.restingPulse, maximumPulse: data.maximumPulse)
    }

    /// The stated conditions. A pregnancy that is stated as the reason to skip the last period is one of them.
    private static func conditions(of data: BodyData) -> [HealthCondition] {
        let isStated = data.lastPeriod?.skipped == .pregnant && !data.conditions.contains(.pregnancy)
        return isStated ? data.conditions + [.pregnancy] : data.conditions
    }

    /// Measured maximum heart rate, or 208 − 0.7 × age (Tanaka 2001).
    public var highestPulse: Int? { maximumPulse ?? age.map(Self.estimatedMaximumPulse) }

    /// 208 − 0.7 × age (Tanaka 2001).
    public static func estimatedMaximumPulse(age: Int) -> Int {
        Int((208 - 0.7 * Double(min(max(age, 0), 130))).rounded())
    }
}
