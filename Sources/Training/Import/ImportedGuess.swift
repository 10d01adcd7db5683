import Wire

/// Properties that catalogues leave out, derived from those that they have.
enum ImportedGuess {
    /// Lower-case words with a blank at each end.
    static func words(of name: String) -> String {
        " "
            + name.lowercased().map { $0.isLetter || $0.isNumber ? $0 : " " }.split(separator: " ").map { String($0) }
            .joined(separator: " ") + " "
    }

    static func isUnilateral(_ name: String) -> Bool {
        [" one arm", " single arm", " one leg", " single leg", " one handed", " single dumbbell"].contains(
            where: name.contains)
    }

    static func equipment(_ own: [Equipment], type: ExerciseType, name: String, steps: [String]) -> [Equipment] {
        if type == .cardio, let machine = cardioMachines.first(where: { name.contains($0.0) }) { return machine.1 }
        var all = own
        func add(_ equipment: Equipment) {
            if !all.contains(equipment) { all.append(equipment) }
        }
        if pullUps.contains(where: name.contains) { add(.pullUpBar) }
        if type != .stretching, name.contains(" dip"), own.isEmpty { add(name.contains(" bench") ? .bench : .other) }
        if name.contains(" box ") { add(.box) }
        if name.contains(" band") { add(.bands) }
        if name.contains(" cone") || name.contains(" hurdle") || name.contains(" suspended") { add(.other) }
        if name.contains(" ball ") || name.contains(" bosu"), own.isEmpty { add(.exerciseBall) }
        if name.contains(" bench"), type != .stretching { add(.bench) }
        // A bench in the steps of an exercise with free weights is needed, not an option.
        let isFree = !Set(own).isDisjoint(with: [.barbell, .dumbbell, .ezBar])
        if isFree, steps.contains(where: { $0.contains(" bench") }) { add(.bench) }
        return all
    }

    private static let pullUps = [
        " pullup", " pull up", " chin up", " chins", " muscle up", " hanging leg", " hanging pike", " inverted row",
    ]

    private static let cardioMachines: [(String, [Equipment])] = [
        (" rowing", [.rower]), (" stationary ", [.bicycle, .machine]), (" bicycling ", [.bicycle]),
        (" bike", [.bicycle, .machine]), (" elliptical", [.elliptical]),
        (" treadmill", [.treadmill]),
        (" stairmaster", [.stairs]), (" step mill", [.stairs]), (" rope", [.rope]),
        (" skating", [.other]), (" trail", []),
    ]

    static func measures(type: ExerciseType, equipment: [Equipment], isStatic: Bool) -> [SetMeasure] {
        switch type {
        case .cardio, .swimming: return [.time, .distance]
        case .stretching, .balance: return [.time]
        case .plyometrics: return [.reps]
        case .strength, .powerlifting, .olympicWeightlifting, .strongman:
            if isStatic { return [.time] }
            let loads: Set<Equipment> = [.barbell, .dumbbell, .kettlebell, .cable, .machine, .ezBar, .medicineBall]
            return loads.isDisjoint(with: equipment) && type != .strongman ? [.reps] : [.reps, .weight]
        }
    }

    /// Energy by type, mechanic and level: the Compendium has no single exercises.
    static func met(
        type: ExerciseType, name: String, equipment: [Equipment], isCompound: Bool, level: ExerciseLevel
    ) -> MetabolicEquivalent {
        switch type {
        case .cardio: return cardio.first { name.contains($0.0) }?.1 ?? Compendium.circuit
        case .swimming: return Compendium.easyCrawl
        case .stretching: return Compendium.stretching
        case .balance: return Compendium.lightCalisthenics
        case .plyometrics: return Compendium.hardCalisthenics
        case .powerlifting, .olympicWeightlifting, .strongman: return Compendium.hardResistance
        case .strength: break
        }
        if equipment.contains(.kettlebell), isCompound { return Compendium.hardCircuit }
        let isLoaded = !Set(equipment).isDisjoint(with: [.barbell, .dumbbell, .cable, .machine, .ezBar, .kettlebell])
        guard isLoaded else {
            if !isCompound { return Compendium.lightCalisthenics }
            return level == .expert ? Compendium.hardCalisthenics : Compendium.calisthenics
        }
        if name.contains(" squat") { return Compendium.squats }
        return isCompound && level == .expert ? Compendium.hardResistance : Compendium.resistance
    }

    private static let cardio: [(String, MetabolicEquivalent)] = [
        (" stationary bicycl", Compendium.stationaryBicycle), (" bicycling stationary", Compendium.stationaryBicycle),
        (" bicycling", Compendium.bicycling), (" bike", Compendium.stationaryBicycle),
        (" elliptical", Compendium.elliptical), (" jog", Compendium.jogging), (" sprint", Compendium.hardCircuit),
        (" rope", Compendium.rope), (" rowing", Compendium.rower), (" trail", Compendium.jogWalk),
        (" running", Compendium.runningAt6), (" run ", Compendium.runningAt6), (" skating", Compendium.skating),
        (" stairmaster", Compendium.stairMachine), (" step mill", Compendium.stairMachine),
        (" walk", Compendium.walking), (" swim", Compendium.easyCrawl), (" burpee", Compendium.hardCalisthenics),
        (" jump", Compendium.hardCalisthenics),
    ]
}
