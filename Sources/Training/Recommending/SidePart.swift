import Wire

/// Chooses the exercises of the warm-up and the cool-down.
struct SidePart {
    let stock: Stock
    let wishes: Wishes
    let draft: Draft

    static let itemsMax = 8

    /// Allowed exercises for warm-ups and cool-downs.
    struct Stock {
        let warmUps: [Candidate]
        let coolDowns: [Candidate]
        /// For a catalogue without the own exercises.
        let stretches: [Candidate]

        init(_ candidates: [Candidate]) {
            warmUps = candidates.filter(\.isWarmUp)
            coolDowns = candidates.filter(\.isCoolDown)
            stretches = candidates.filter { $0.exercise.type == .stretching }
        }
    }

    /// A warm-up of 5 to 10 minutes as ACSM advises, less if the workout itself is shorter than 20 minutes.
    static func warmUpMinutes(of minutes: Int) -> Double {
        switch minutes {
        case ..<10: 1
        case ..<20: 3
        case ..<45: 5
        case ..<90: 8
        default: 10
        }
    }

    static func coolDownMinutes(of minutes: Int) -> Double {
        switch minutes {
        case ..<10: 1
        case ..<20: 2
        case ..<60: 5
        default: 8
        }
    }

    /// Light movement first, then the joints that the main part moves.
    func warmUp(seconds: Double, muscles: Set<Muscle>, without used: Set<String>) -> [WorkoutItem] {
        let own = suitable(stock.warmUps, used)
        let fallback = {
            suitable(stock.stretches, used).filter { $0.exercise.level == .beginner }
        }
        let all = own.isEmpty ? fallback() : own
        let isInPool = draft.setting.place == .pool
        let light = all.filter { $0.exercise.type != .stretching && (!isInPool || $0.equipment.contains(.pool)) }
        let first = light.isEmpty ? [] : [light[draft.rotationIndex(light.count)]]
        let rest = sorted(all.filter { $0.exercise.type == .stretching }, muscles)
        return items(first + rest, seconds: seconds, first: first.isEmpty ? 30 : min(120, seconds / 2), each: 40)
    }

    /// Calm movement first, then stretches of the muscles that worked.
    func coolDown(seconds: Double, muscles: Set<Muscle>, without used: Set<String>) -> [WorkoutItem] {
        let own = suitable(stock.coolDowns, used)
        let fallback = { suitable(stock.stretches, used) }
        let all = own.isEmpty ? fallback() : own
        let isInPool = draft.setting.place == .pool
        let calm = all.filter { $0.exercise.type != .stretching && (!isInPool || $0.equipment.contains(.pool)) }
        let needsCalm = draft.focus.type != .stretching && draft.focus.type != .balance
        let first = needsCalm ? Array(calm.prefix(1)) : []
        let rest = sorted(all.filter { $0.exercise.type == .stretching }, muscles)
        return items(first + rest, seconds: seconds, first: first.isEmpty ? 30 : min(120, seconds / 2), each: 30)
    }

    private func suitable(_ candidates: [Candidate], _ used: Set<String>) -> [Candidate] {
        candidates.filter {
            draft.setting.suits($0) && $0.exercise.level.rank <= wishes.preferredLevel.rank
                && !used.contains($0.exercise.id)
        }
    }

    private func sorted(_ candidates: [Candidate], _ muscles: Set<Muscle>) -> [Candidate] {
        let wanted = MuscleSet(Array(muscles))
        let (near, far) = (candidates.filter { !$0.traits.primary.isDisjoint(with: wanted) }, candidates)
        return near + far.filter { $0.traits.primary.isDisjoint(with: wanted) }
    }

    private func items(_ candidates: [Candidate], seconds: Double, first: Double, each: Double) -> [WorkoutItem] {
        var items: [WorkoutItem] = []
        var left = seconds
        for candidate in candidates.prefix(Self.itemsMax) {
            let wanted = items.isEmpty ? first : each
            guard left >= min(wanted, 20) else { break }
            let sides = candidate.exercise.isUnilateral ? 2.0 : 1
            let time = max(10, min(wanted, left / sides).rounded(.down))
            // A set by time serves exercises that count repetitions as well: here they are done at ease.
            let item = Prescription(sets: 1, seconds: time, rest: 0, sides: sides)
            items.append(WorkoutItem(candidate: candidate, prescription: item))
            left -= item.seconds
        }
        return items
    }
}
