import Wire

/// A workout to compose.
struct Draft {
    let focus: Focus
    let setting: Setting
    let isPersonal: Bool
    /// Changes the choice among equally suitable exercises.
    let rotation: Int

    func rotationIndex(_ count: Int) -> Int {
        count > 0 ? Int(rotation.magnitude % UInt(count)) : 0
    }

    func recommendation(_ parts: [(SectionKind, [WorkoutItem])], wishes: Wishes) -> Recommendation {
        let sections = parts.filter { !$0.1.isEmpty }.map { kind, items in
            WorkoutSection(kind: kind, groups: items.enumerated().map { WorkoutGroup(entries: [entry($1, kind, $0)]) })
        }
        let items = parts.flatMap(\.1)
        let main = parts.first { $0.0 == .main }?.1 ?? []
        let used = Set(items.flatMap(\.candidate.exercise.equipment))
        let seconds = items.map(\.prescription.seconds).reduce(0, +)
        let minutes = max(1, min(wishes.minutes, Int((seconds / 60).rounded(.up))))
        var seen: Set<String> = []
        let plan = WorkoutPlan(
            title: title, description: "\(focus.name), \(minutes) minutes, \(main.count) exercises.", type: focus.type,
            intensity: Self.intensity(main), minutes: minutes, place: setting.place,
            equipment: Equipment.allCases.filter(used.contains), tags: [Self.tag(wishes.goal)], sections: sections,
            videos: [])
        return Recommendation(
            plan: plan, reason: isPersonal ? personalReason(main, wishes) : genericReason(minutes),
            isPersonal: isPersonal,
            exercises: items.map(\.candidate.exercise).filter { seen.insert($0.id).inserted })
    }

    private func entry(_ item: WorkoutItem, _ kind: SectionKind, _ position: Int) -> WorkoutEntry {
        let seed =
            "\(focus.name)/\(setting.place.rawValue)/\(rotation)/\(isPersonal)/\(kind.rawValue)/\(position)/\(item.candidate.exercise.id)"
        return WorkoutEntry(
            id: StableHash.uuid(of: seed), exercise: item.candidate.exercise.id,
            sets: Array(repeating: item.prescription.values, count: max(1, item.prescription.sets)),
            restSeconds: item.prescription.restSeconds)
    }

    /// By the MET of the main part, weighted by time.
    private static func intensity(_ main: [WorkoutItem]) -> WorkoutIntensity {
        let seconds = main.map(\.prescription.seconds).reduce(0, +)
        let sum = main.map { $0.prescription.seconds * $0.candidate.exercise.met.value }.reduce(0, +)
        let met = seconds > 0 ? sum / seconds : 0
        return met < 3 ? .light : met < 6 ? .moderate : .vigorous
    }

    private var title: String {
        let number = !isPersonal && rotation > 0 ? " \(rotation + 1)" : ""
        return focus.name + placeWords + number
    }

    private var placeWords: String {
        switch setting.place {
        case .anywhere: ""
        case .home: " at Home"
        case .gym: " at the Gym"
        case .outdoors: " Outdoors"
        case .pool: " in the Pool"
        case .track: " on the Track"
        }
    }

    private func genericReason(_ minutes: Int) -> String {
        "\(focus.name)\(placeWords.lowercased()), about \(minutes) minutes."
    }

    private func personalReason(_ main: [WorkoutItem], _ wishes: Wishes) -> String {
        var reason =
            wishes.hasOwnGoal
            ? "It suits your goal to \(Self.words(wishes.goal))." : "It's a good start for your health."
        let tired = wishes.history.tired
        if !tired.isEmpty, main.allSatisfy({ $0.candidate.traits.primary.isDisjoint(with: tired) }) {
            reason += " The muscles of your last workout get a rest."
        }
        if !wishes.body.injuries.isEmpty || !wishes.body.conditions.isEmpty {
            reason += " Exercises that don't suit your injuries and conditions are left out."
        }
        return reason
    }

    private static func words(_ goal: FitnessGoal) -> String {
        switch goal {
        case .loseWeight: "lose weight"
        case .buildMuscle: "build muscle"
        case .gainStrength: "gain strength"
        case .improveEndurance: "improve your endurance"
        case .improveFlexibility: "improve your flexibility"
        case .improveBalance: "improve your balance"
        case .reduceStress: "reduce stress"
        case .stayHealthy: "stay healthy"
        }
    }

    private static func tag(_ goal: FitnessGoal) -> String {
        switch goal {
        case .loseWeight: "weight loss"
        case .buildMuscle: "muscle"
        case .gainStrength: "max strength"
        case .improveEndurance: "endurance"
        case .improveFlexibility: "flexibility"
        case .improveBalance: "balance"
        case .reduceStress: "relax"
        case .stayHealthy: "health"
        }
    }
}
