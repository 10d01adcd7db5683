import Wire

/// Chooses the exercises of the main part and fills its time with them.
struct MainPart {
    let pool: [Candidate]
    let wishes: Wishes
    let draft: Draft
    /// Seconds.
    let budget: Double
    static let shortSeconds = 900.0

    /// Never empty for a pool that is not empty, unless the focus fits none of it.
    func items() -> [WorkoutItem] {
        if draft.focus.type == .cardio, let items = sustained() { return items }
        var chosen = draft.focus.slots.isEmpty ? ranked(pool) : bySlots()
        if draft.focus.type == .cardio { chosen = chosen.filter { !$0.isSustained } }
        if draft.focus.type == .swimming { chosen = Array(chosen.prefix(budget < 1_500 ? 3 : 5)) }
        guard !chosen.isEmpty else { return [] }
        var items: [WorkoutItem] = []
        var seconds = 0.0
        for candidate in chosen.prefix(WorkoutComposer.entriesMax) {
            var prescription = Prescription(
                candidate.exercise, goal: wishes.goal, level: wishes.preferredLevel, age: wishes.body.age)
            // A short workout has more exercises rather than more sets.
            if budget < Self.shortSeconds { prescription.sets = min(prescription.sets, 2) }
            if seconds + prescription.seconds > budget {
                let set = prescription.workSeconds + Double(prescription.restSeconds)
                let left = Int((budget - seconds) / set)
                if items.isEmpty {
                    prescription.sets = max(1, left)
                } else if left < 2 {
                    break
                } else {
                    prescription.sets = left
                }
            }
            seconds += prescription.seconds
            items.append(WorkoutItem(candidate: candidate, prescription: prescription))
        }
        fill(&items, seconds)
        return items
    }

    /// Adds sets, one exercise after the other, while time is left.
    private func fill(_ items: inout [WorkoutItem], _ seconds: Double) {
        var seconds = seconds
        let setsMax = draft.focus.type == .swimming ? 12 : Prescription.setsMax
        for _ in 0..<setsMax {
            for index in items.indices {
                let prescription = items[index].prescription
                let set = prescription.workSeconds + Double(prescription.restSeconds)
                guard prescription.sets < setsMax, seconds + set <= budget else { continue }
                items[index].prescription.sets += 1
                seconds += set
            }
        }
    }

    /// One to three exercises that last for minutes; nil where a circuit is better.
    private func sustained() -> [WorkoutItem]? {
        let all = ranked(pool.filter(\.isSustained))
        let others = pool.count - all.count
        guard !all.isEmpty else { return nil }
        if others >= WorkoutComposer.choiceMin,
            draft.setting.place == .home || (!draft.isPersonal && draft.rotation % 2 == 1)
        {
            return nil
        }
        let count = min(all.count, budget < 1_500 ? 1 : budget < 4_000 ? 2 : 3)
        let rest = count > 1 ? 60 : 0
        let share = budget / Double(count) - Double(rest)
        let seconds = max(60, (share / 60).rounded(.down) * 60)
        return all.prefix(count).map {
            WorkoutItem(candidate: $0, prescription: Prescription(sets: 1, seconds: seconds, rest: rest))
        }
    }

    private func bySlots() -> [Candidate] {
        let sorted = ranked(pool)
        let slots = draft.focus.slots.map(MuscleSet.init)
        var chosen: [Candidate] = []
        var used: Set<String> = []
        // Twice through the positions: a long workout trains each of them again.
        for slot in slots + slots {
            let fitting = sorted.first { !used.contains($0.exercise.id) && !$0.traits.primary.isDisjoint(with: slot) }
            guard let fitting else { continue }
            used.insert(fitting.exercise.id)
            chosen.append(fitting)
        }
        return chosen.isEmpty ? sorted : chosen
    }

    private func ranked(_ candidates: [Candidate]) -> [Candidate] {
        // The sort is stable, and candidates come in the order of their ids.
        candidates.map { ($0, score($0)) }.sorted { $0.1 > $1.1 }.map(\.0)
    }

    private func score(_ candidate: Candidate) -> Int {
        var score = 0
        if candidate.isOwn { score += draft.isPersonal || draft.rotation == 0 ? 6 : 2 }
        let level = candidate.exercise.level.rank
        let preferred = wishes.preferredLevel.rank
        score += level == preferred ? 2 : level > preferred ? -6 : 0
        if !candidate.exercise.secondaryMuscles.isEmpty { score += 2 }
        // Equipment is there to be used, and muscle and strength need a load that can be chosen.
        if draft.setting.place == .gym || wishes.namesEquipment, !candidate.equipment.isEmpty { score += 3 }
        if wishes.goal == .buildMuscle || wishes.goal == .gainStrength, candidate.exercise.measures.contains(.weight) {
            score += 6
        }
        if draft.isPersonal {
            if candidate.traits.isStrengthening, !candidate.traits.primary.isDisjoint(with: wishes.history.tired) {
                score -= 12
            }
            if wishes.history.latest.contains(candidate.exercise.id) { score -= 3 }
        }
        let jitter = (candidate.hash ^ UInt64(truncatingIfNeeded: draft.rotation &+ 1)) &* 0x9E37_79B9_7F4A_7C15
        return score + Int(jitter >> 61)
    }
}
