// Methods for the catalogue of exercises.

public enum ExercisesSearch: RPCMethod {
    public static let name = "exercises.search"
    public static let summary = """
        Searches the catalogue by name, muscle, equipment, type and level. Names that begin with the text come first.
        """
    public static let access = MethodAccess.accounts
    public static let limits: [MethodLimit] = [.each(.find)]
    public static let texts: [String: TextLimit] = ["text": .exerciseSearch]
    public struct Params: Codable, Sendable {
        /// Words of the name; nil for all.
        public var text: String?
        public var muscle: Muscle?
        /// Equipment at hand: exercises that need any other are left out. Nil for all; empty for the body alone.
        public var equipment: [Equipment]?
        public var type: ExerciseType?
        /// Highest level.
        public var level: ExerciseLevel?
        /// Leaves out exercises that load this area.
        public var area: BodyArea?
        /// Number of exercises to skip, at most 10,000.
        @Count public var offset: Int?
        /// 1 to 100; nil for 30.
        @Count public var limit: Int?
        public init(
            text: String? = nil, muscle: Muscle? = nil, equipment: [Equipment]? = nil, type: ExerciseType? = nil,
            level: ExerciseLevel? = nil, area: BodyArea? = nil, offset: Int? = nil, limit: Int? = nil
        ) {
            self.text = text
            self.muscle = muscle
            self.equipment = equipment
            self.type = type
            self.level = level
            self.area = area
            self.offset = offset
            self.limit = limit
        }
    }
    public typealias Result = ExercisePage
}

public enum ExercisesGet: RPCMethod {
    public static let name = "exercises.get"
    public static let summary = """
        Returns one exercise.
        """
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        /// Id of the exercise.
        public var exercise: String
        public init(exercise: String) {
            self.exercise = exercise
        }
    }
    public typealias Result = Exercise
}

extension APIRegistry {
    static let exercise: [any RPCMethod.Type] = [ExercisesSearch.self, ExercisesGet.self]
}
