import Wire

/// Conclusions from past trainings.
struct RecentHistory: Sendable {
    static let trainingsMax = 100
    static let exercisesMax = 60
    static let days = 90.0
    /// A muscle rests for two days.
    static let restingHours = 48.0
    /// Trainings of 90 days from which exercises of the next level are offered.
    static let trainingsForIntermediate = 6
    static let trainingsForExpert = 30

    /// Muscles trained within two days.
    private(set) var tired: MuscleSet = []
    private(set) var tiredMuscles: Set<Muscle> = []
    /// Exercises of the three latest trainings.
    private(set) var latest: Set<String> = []
    private(set) var latestType: ExerciseType?
    private(set) var count = 0
    /// Number of the day, which varies the personal choice.
    let day: Int

    init(_ history: TrainingHistory, candidates: [Candidate]) {
        let byID = Dictionary(candidates.map { ($0.exercise.id, $0) }) { first, _ in first }
        let now = Double(history.now.milliseconds)
        day = Int(now / 1_000 / Timestamp.daySeconds)
        func hoursAgo(_ training: PastTraining) -> Double {
            (now - Double(training.startedAt.milliseconds)) / 3_600_000
        }
        let recent = history.trainings.filter { (0...(Self.days * 24)).contains(hoursAgo($0)) }
            .sorted { $0.startedAt > $1.startedAt }.prefix(Self.trainingsMax)
        count = recent.count
        latestType = recent.first?.type
        for (index, training) in recent.enumerated() {
            let exercises = training.exercises.prefix(Self.exercisesMax)
            if index < 3 { latest.formUnion(exercises) }
            guard hoursAgo(training) < Self.restingHours else { continue }
            for candidate in exercises.compactMap({ byID[$0] }) where candidate.traits.isStrengthening {
                tired.formUnion(candidate.traits.primary)
                tiredMuscles.formUnion(candidate.exercise.primaryMuscles)
            }
        }
    }

    var level: ExerciseLevel {
        if count >= Self.trainingsForExpert { return .expert }
        return count >= Self.trainingsForIntermediate ? .intermediate : .beginner
    }
}

/// A place with what it has.
struct Setting: Sendable, Hashable {
    let place: WorkoutPlace
    let equipment: EquipmentBits

    func suits(_ candidate: Candidate) -> Bool {
        candidate.equipment.isSubset(of: equipment)
    }

    /// In a pool people swim, and in a room they do not ride through traffic.
    func suitsMain(_ candidate: Candidate) -> Bool {
        guard suits(candidate) else { return false }
        switch place {
        case .pool: return candidate.equipment.contains(.pool)
        case .gym, .home: return !candidate.traits.movements.contains(.traffic)
        case .anywhere, .outdoors, .track: return true
        }
    }

    static func standard(_ place: WorkoutPlace) -> Setting {
        Setting(place: place, equipment: equipment(of: place))
    }

    static func equipment(of place: WorkoutPlace) -> EquipmentBits {
        switch place {
        case .anywhere: .all
        case .home: EquipmentBits([.mat, .bands, .exerciseBall, .foamRoller, .rope])
        case .gym: .all.subtracting(.pool)
        case .outdoors: EquipmentBits([.pullUpBar, .bench, .stairs, .bicycle])
        case .pool: EquipmentBits([.pool])
        case .track: EquipmentBits([.mat, .rope])
        }
    }
}

/// Request, body data and history as the composer needs them.
struct Wishes: Sendable {
    let type: ExerciseType?
    let goal: FitnessGoal
    let hasOwnGoal: Bool
    let namesEquipment: Bool
    let minutes: Int
    let highestLevel: ExerciseLevel?
    /// Highest level that is offered while there is a choice.
    let preferredLevel: ExerciseLevel
    let settings: [Setting]
    let history: RecentHistory
    let body: Body

    init(_ request: RecommendationRequest, body: Body, history: RecentHistory) {
        type = request.type
        goal = request.goal ?? body.goals.first ?? .stayHealthy
        hasOwnGoal = request.goal != nil || !body.goals.isEmpty
        namesEquipment = request.equipment != nil
        let range = Recommender.minutesRange
        minutes = min(max(request.minutes ?? Recommender.minutesDefault, range.lowerBound), range.upperBound)
        highestLevel = request.level
        preferredLevel = request.level ?? history.level
        settings = Self.settings(request)
        self.history = history
        self.body = body
    }

    func hasLevel(_ candidate: Candidate) -> Bool {
        highestLevel.map { candidate.exercise.level.rank <= $0.rank } ?? true
    }

    /// Whether the exercise has a type, place and equipment that were asked for.
    func suits(_ candidate: Candidate) -> Bool {
        (type.map { candidate.exercise.type == $0 } ?? true) && settings.contains { $0.suitsMain(candidate) }
    }

    /// Settings to compose for, the best first. The last one has everything that was asked for.
    private static func settings(_ request: RecommendationRequest) -> [Setting] {
        let place = request.place ?? .anywhere
        if let equipment = request.equipment {
            let isSwimming = place == .anywhere && request.type == .swimming
            return [Setting(place: isSwimming ? .pool : place, equipment: EquipmentBits(equipment))]
        }
        guard place == .anywhere else { return [.standard(place)] }
        let body = Setting(place: .anywhere, equipment: [])
        let all = Setting.standard(.anywhere)
        switch request.type {
        case .swimming: return [.standard(.pool), all]
        case .strength: return [body, .standard(.home), .standard(.gym), all]
        case .powerlifting, .olympicWeightlifting, .strongman: return [.standard(.gym), all]
        case .cardio: return [.standard(.outdoors), body, .standard(.gym), .standard(.home), all]
        case .plyometrics: return [body, .standard(.gym), all]
        case .stretching, .balance: return [.standard(.home), body, all]
        case nil: return [.standard(.home), body, .standard(.gym), .standard(.outdoors), .standard(.pool), all]
        }
    }
}

extension ExerciseLevel {
    var rank: Int {
        switch self {
        case .beginner: 0
        case .intermediate: 1
        case .expert: 2
        }
    }
}
