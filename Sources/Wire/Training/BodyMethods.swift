// Methods for body data.

public enum BodyGet: RPCMethod {
    public static let name = "body.get"
    public static let summary = """
        Returns the caller's body data.
        """
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public typealias Result = BodyData
}

public enum BodySave: RPCMethod {
    public static let name = "body.save"
    public static let summary = """
        Changes the given members and confirms the data. Omitted members keep their value.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public struct Params: Codable, Sendable {
        /// 50 to 250.
        @Quantity public var heightCentimetres: Double?
        /// All conditions.
        public var conditions: [HealthCondition]?
        /// All goals, at most 3.
        public var goals: [FitnessGoal]?
        /// A date within the last year and not in the future, or a reason.
        public var lastPeriod: LastPeriod?
        /// 25 to 120 beats per minute.
        @Count public var restingPulse: Int?
        /// 100 to 240 beats per minute, above the resting pulse.
        @Count public var maximumPulse: Int?
        /// Members to remove.
        public var clear: [BodyField]?
        public init(
            heightCentimetres: Double? = nil, conditions: [HealthCondition]? = nil, goals: [FitnessGoal]? = nil,
            lastPeriod: LastPeriod? = nil, restingPulse: Int? = nil, maximumPulse: Int? = nil, clear: [BodyField]? = nil
        ) {
            self.heightCentimetres = heightCentimetres
            self.conditions = conditions
            self.goals = goals
            self.lastPeriod = lastPeriod
            self.restingPulse = restingPulse
            self.maximumPulse = maximumPulse
            self.clear = clear
        }
    }
    public typealias Result = BodyData
}

public enum BodyConfirm: RPCMethod {
    public static let name = "body.confirm"
    public static let summary = """
        Confirms that the body data is up to date. Idempotent.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public typealias Params = Empty
    public typealias Result = BodyData
}

public enum BodySaveInjury: RPCMethod {
    public static let name = "body.saveInjury"
    public static let summary = """
        Adds an injury, or changes the one with the same id.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.conflict]
    public static let texts: [String: TextLimit] = ["note": .injuryNote]
    public struct Params: Codable, Sendable {
        /// UUID chosen by the client.
        public var id: String
        public var type: InjuryType
        public var area: BodyArea
        /// First day, not in the future.
        public var from: String
        /// Last day, not before the first; nil while the injury has not healed.
        public var until: String?
        /// At most 200 characters.
        public var note: String?
        public init(
            id: String, type: InjuryType, area: BodyArea, from: String, until: String? = nil, note: String? = nil
        ) {
            self.id = id
            self.type = type
            self.area = area
            self.from = from
            self.until = until
            self.note = note
        }
    }
    public typealias Result = BodyData
}

public enum BodyRemoveInjury: RPCMethod {
    public static let name = "body.removeInjury"
    public static let summary = """
        Removes an injury. Idempotent.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public struct Params: Codable, Sendable {
        /// UUID of the injury.
        public var id: String
        public init(id: String) {
            self.id = id
        }
    }
    public typealias Result = BodyData
}

public enum BodyWeights: RPCMethod {
    public static let name = "body.weights"
    public static let summary = """
        Returns the weights of a span of days, oldest first.
        """
    public static let access = MethodAccess.accounts
    public static let limits: [MethodLimit] = [.each(.list)]
    public struct Params: Codable, Sendable {
        /// First day; nil for 365 days before the last.
        public var from: String?
        /// Last day; nil for today. At most 3,660 days after the first.
        public var to: String?
        public init(from: String? = nil, to: String? = nil) {
            self.from = from
            self.to = to
        }
    }
    public typealias Result = BodyWeightList
}

public enum BodySaveWeight: RPCMethod {
    public static let name = "body.saveWeight"
    public static let summary = """
        Sets the weight of a day. Past trainings keep their calories.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public struct Params: Codable, Sendable {
        /// Day, such as `2026-11-28`: not in the future, not before 1900.
        public var date: String
        /// 20 to 400; the server rounds to a tenth.
        @Quantity public var kilograms: Double
        public init(date: String, kilograms: Double) {
            self.date = date
            self.kilograms = kilograms
        }
    }
    public typealias Result = BodyData
}

public enum BodyRemoveWeight: RPCMethod {
    public static let name = "body.removeWeight"
    public static let summary = """
        Removes the weight of a day. Idempotent.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public struct Params: Codable, Sendable {
        public var date: String
        public init(date: String) {
            self.date = date
        }
    }
    public typealias Result = BodyData
}

extension APIRegistry {
    static let body: [any RPCMethod.Type] = [
        BodyGet.self, BodySave.self, BodyConfirm.self, BodySaveInjury.self, BodyRemoveInjury.self, BodyWeights.self,
        BodySaveWeight.self, BodyRemoveWeight.self,
    ]
}
