import Wire

/// Composes workouts of exercises that nothing excludes.
struct WorkoutComposer {
    /// Attempts at generic workouts; most differ from one another, so that 67 need few more.
    static let attemptsMax = 600
    /// Attempts in a row that give nothing new, after which there is nothing more to expect.
    static let missesMax = 60
    static let entriesMax = 16
    /// Below this number of exercises of the preferred level, higher levels are offered as well.
    static let choiceMin = 3

    let candidates: [Candidate]
    let wishes: Wishes
    private let stock: SidePart.Stock
    private var pools: [PoolKey: [Candidate]] = [:]

    private struct PoolKey: Hashable {
        let type: ExerciseType
        let setting: Setting
    }

    init(candidates: [Candidate], wishes: Wishes) {
        self.candidates = candidates
        self.wishes = wishes
        stock = SidePart.Stock(candidates)
    }

    /// The personal workout, and at most `count` generic ones that differ from it.
    mutating func workouts(count: Int) -> (personal: Recommendation?, generic: [Recommendation]) {
        let types = wishes.type.map { [$0] } ?? Focus.types(for: wishes.goal, after: wishes.history.latestType)
        guard let personal = personal(types) else { return (nil, []) }
        var signatures: Set<[String]> = [Self.signature(personal)]
        var generic: [Recommendation] = []
        var (attempts, misses) = (0, 0)
        // The last setting has everything at once; it serves when no other one does.
        let settings = wishes.settings.count > 1 ? Array(wishes.settings.dropLast()) : wishes.settings
        let foci = genericTypes(types).map(Focus.all(of:))
        let rounds = Self.attemptsMax / max(1, foci.joined().count)
        for round in 0..<max(1, rounds) {
            for position in 0..<(foci.map(\.count).max() ?? 0) {
                for (index, foci) in foci.enumerated() where position < foci.count {
                    attempts += 1
                    guard generic.count < count, attempts <= Self.attemptsMax, misses <= Self.missesMax else {
                        return (personal, generic)
                    }
                    let setting = settings[(position + index + round) % settings.count]
                    let draft = Draft(
                        focus: foci[position], setting: setting, isPersonal: false, rotation: round / settings.count)
                    misses += 1
                    guard let workout = compose(draft), signatures.insert(Self.signature(workout)).inserted else {
                        continue
                    }
                    misses = 0
                    generic.append(workout)
                }
            }
        }
        return (personal, generic)
    }

    /// Beginners who ask for no type are not offered heavy lifts and jumps.
    private func genericTypes(_ types: [ExerciseType]) -> [ExerciseType] {
        guard wishes.type == nil, wishes.preferredLevel == .beginner else { return types }
        return types.filter { ![.plyometrics, .powerlifting, .olympicWeightlifting, .strongman].contains($0) }
    }

    private static func signature(_ workout: Recommendation) -> [String] {
        workout.plan.sections.first { $0.kind == .main }?.groups.flatMap(\.entries).map(\.exercise).sorted() ?? []
    }

    private mutating func personal(_ types: [ExerciseType]) -> Recommendation? {
        let day = wishes.history.day
        for type in types {
            for setting in wishes.settings where !pool(type, setting).isEmpty {
                let foci = Focus.all(of: type)
                let tired = wishes.history.tiredMuscles
                // Swift's sort is stable, so that the first of equally rested ones comes first.
                let sorted = foci.map {
                    (
                        $0,
                        $0.muscles.isEmpty ? 0 : Double($0.muscles.intersection(tired).count) / Double($0.muscles.count)
                    )
                }
                .sorted { $0.1 < $1.1 }
                for (focus, _) in sorted {
                    if let workout = compose(Draft(focus: focus, setting: setting, isPersonal: true, rotation: day)) {
                        return workout
                    }
                }
            }
        }
        return nil
    }

    /// Exercises for the main part, of the preferred level if these leave a choice.
    private mutating func pool(_ type: ExerciseType, _ setting: Setting) -> [Candidate] {
        let key = PoolKey(type: type, setting: setting)
        if let pool = pools[key] { return pool }
        let all = candidates.filter { $0.exercise.type == type && setting.suitsMain($0) }
        let preferred = all.filter { $0.exercise.level.rank <= wishes.preferredLevel.rank }
        let pool = preferred.count >= Self.choiceMin ? preferred : all
        pools[key] = pool
        return pool
    }

    /// Nil if no exercise is left for the main part.
    private mutating func compose(_ draft: Draft) -> Recommendation? {
        let pool = pool(draft.focus.type, draft.setting)
        guard !pool.isEmpty else { return nil }
        let total = Double(wishes.minutes) * 60
        let sides = SidePart(stock: stock, wishes: wishes, draft: draft)
        let warmUpSeconds = SidePart.warmUpMinutes(of: wishes.minutes) * 60
        let coolDownSeconds = SidePart.coolDownMinutes(of: wishes.minutes) * 60
        let main = MainPart(pool: pool, wishes: wishes, draft: draft, budget: total - warmUpSeconds - coolDownSeconds)
        let mainItems = main.items()
        guard !mainItems.isEmpty else { return nil }
        let used = Set(mainItems.map(\.candidate.exercise.id))
        let muscles = Set(mainItems.flatMap(\.candidate.exercise.primaryMuscles))
        let warmUp = sides.warmUp(seconds: warmUpSeconds, muscles: muscles, without: used)
        let coolDown = sides.coolDown(
            seconds: coolDownSeconds, muscles: muscles, without: used.union(warmUp.map(\.candidate.exercise.id)))
        return draft.recommendation([(.warmUp, warmUp), (.main, mainItems), (.coolDown, coolDown)], wishes: wishes)
    }
}

/// An exercise with its sets.
struct WorkoutItem {
    let candidate: Candidate
    var prescription: Prescription
}
