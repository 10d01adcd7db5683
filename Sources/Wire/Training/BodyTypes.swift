// Body data (C-2, W-1). Only its owner gets it.

/// Part of the body that an injury affects.
public enum BodyArea: String, WireChoice {
    case neck, shoulder, elbow, wrist, hand, chest, abdomen, upperBack, lowerBack, hip, thigh, knee, calf, ankle, foot
}

/// Type of an injury.
public enum InjuryType: String, WireChoice {
    /// Overstretched or torn muscle.
    case strain
    /// Overstretched or torn ligament.
    case sprain
    case fracture
    case dislocation
    /// Tendon pain, such as tennis elbow.
    case tendon
    /// Recovery from an operation.
    case surgery
    /// Pain without a known cause.
    case pain
    case other
}

/// Health condition that changes what is safe.
public enum HealthCondition: String, WireChoice {
    case asthma, hypertension, heartDisease, diabetes, pregnancy, postpartum, osteoporosis, arthritis, epilepsy,
        glaucoma, hernia, vertigo, anaemia
}

/// Goal of a person's training.
public enum FitnessGoal: String, WireChoice {
    case loseWeight, buildMuscle, gainStrength, improveEndurance, improveFlexibility, improveBalance, reduceStress,
        stayHealthy
}

/// Reason for which a person does not state the date of the last period.
public enum LastPeriodSkip: String, WireChoice {
    case unsure, pregnant, notApplicable, preferNotToSay
}

/// Member of the body data that can be cleared.
public enum BodyField: String, WireChoice {
    case heightCentimetres, lastPeriod, restingPulse, maximumPulse
}

/// An injury. It counts from its first to its last day.
public struct Injury: Codable, Sendable, Equatable {
    /// UUID chosen by the client.
    public var id: String
    public var type: InjuryType
    public var area: BodyArea
    /// First day, such as `2026-11-28`.
    public var from: String
    /// Last day; nil while the injury has not healed.
    public var until: String?
    /// At most 200 characters.
    public var note: String?
    public init(id: String, type: InjuryType, area: BodyArea, from: String, until: String? = nil, note: String? = nil) {
        self.id = id
        self.type = type
        self.area = area
        self.from = from
        self.until = until
        self.note = note
    }
}

/// Date of the last period, or the reason to skip it.
public struct LastPeriod: Codable, Sendable, Equatable {
    /// First day, such as `2026-11-02`.
    public var date: String?
    public var skipped: LastPeriodSkip?
    public init(date: String? = nil, skipped: LastPeriodSkip? = nil) {
        self.date = date
        self.skipped = skipped
    }
}

/// Weight on a day.
public struct BodyWeight: Codable, Sendable, Equatable {
    /// Day, such as `2026-11-28`.
    public var date: String
    /// 20 to 400, to a tenth.
    public var kilograms: Double
    public init(date: String, kilograms: Double) {
        self.date = date
        self.kilograms = kilograms
    }
}

/// Body data of the caller.
public struct BodyData: Codable, Sendable, Equatable {
    /// 50 to 250.
    public var heightCentimetres: Double?
    /// The latest weight.
    public var weight: BodyWeight?
    /// The latest start first.
    public var injuries: [Injury]
    public var conditions: [HealthCondition]
    public var goals: [FitnessGoal]
    public var lastPeriod: LastPeriod?
    /// Whether the app asks for the last period: true for people of female or unstated gender.
    public var asksLastPeriod: Bool
    /// Beats per minute, 25 to 120.
    public var restingPulse: Int?
    /// Measured maximum in beats per minute, 100 to 240.
    public var maximumPulse: Int?
    /// Maximum estimated from the age by 208 − 0.7 × age (Tanaka 2001); nil without a birthday.
    public var estimatedMaximumPulse: Int?
    /// Time at which the person last saved or confirmed the data.
    public var confirmedAt: Timestamp?
    /// Whether the app asks again before a workout: never confirmed, or more than 30 days ago.
    public var isStale: Bool
    public init(
        heightCentimetres: Double? = nil, weight: BodyWeight? = nil, injuries: [Injury], conditions: [HealthCondition],
        goals: [FitnessGoal], lastPeriod: LastPeriod? = nil, asksLastPeriod: Bool, restingPulse: Int? = nil,
        maximumPulse: Int? = nil, estimatedMaximumPulse: Int? = nil, confirmedAt: Timestamp? = nil, isStale: Bool
    ) {
        self.heightCentimetres = heightCentimetres
        self.weight = weight
        self.injuries = injuries
        self.conditions = conditions
        self.goals = goals
        self.lastPeriod = lastPeriod
        self.asksLastPeriod = asksLastPeriod
        self.restingPulse = restingPulse
        self.maximumPulse = maximumPulse
        self.estimatedMaximumPulse = estimatedMaximumPulse
        self.confirmedAt = confirmedAt
        self.isStale = isStale
    }
}

/// Weights, oldest first.
public struct BodyWeightList: Codable, Sendable, Equatable {
    public var weights: [BodyWeight]
    public init(weights: [BodyWeight]) {
        self.weights = weights
    }
}
