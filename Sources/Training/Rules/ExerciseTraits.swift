import Foundation
import Wire

/// The properties of an exercise that rules refer to. They are derived from its names, muscles, equipment, type and steps, so that imported
/// exercises have them as well.
public struct ExerciseTraits: Sendable, Hashable {
    public let movements: Movements
    public let primary: MuscleSet
    public let secondary: MuscleSet
    /// Whether it strengthens, so that secondary muscles work against a load.
    public let isStrengthening: Bool
    /// Walking, cycling, swimming and the like below 6 MET.
    public let isEasyEndurance: Bool

    /// Lowest values of vigorous and very vigorous efforts.
    static let vigorousMET = 6.0
    static let veryVigorousMET = 8.5
    /// Steps of an exercise that are searched.
    static let searchedBytesMax = 8_000

    public init(of exercise: Exercise) {
        isStrengthening = exercise.type != .stretching
        isEasyEndurance =
            (exercise.type == .cardio || exercise.type == .swimming) && exercise.met.value < Self.vigorousMET
        primary = MuscleSet(exercise.primaryMuscles)
        secondary = MuscleSet(exercise.secondaryMuscles)
        var found: Movements = []
        let name = Self.words(of: exercise.name + " " + exercise.id.split(separator: "/").dropFirst().joined())
        name.withCString { text in
            for phrase in TraitPhrases.names where phrase.isFound(in: text) { found.formUnion(phrase.movements) }
        }
        let steps = Self.words(of: exercise.instructions.joined(separator: " "))
        steps.withCString { text in
            for phrase in TraitPhrases.steps where phrase.isFound(in: text) { found.formUnion(phrase.movements) }
        }
        found.formUnion(exercise.diagram.flatMap { TraitPhrases.poses[$0] } ?? [])
        found.formUnion(Self.byMuscles(exercise, name: name))
        found.formUnion(Self.byType(exercise))
        found.formUnion(Self.byEquipment(exercise, found))
        if exercise.type == .stretching { found.subtract(TraitPhrases.notInStretching) }
        if found.contains(.water) { found.subtract([.supine, .prone, .run, .jump]) }
        movements = found
    }

    /// Lower-case words with a blank before each, without control characters.
    private static func words(of text: String) -> String {
        var bytes: [UInt8] = [0x20]
        for byte in text.utf8.prefix(searchedBytesMax) {
            let lower = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
            let isWord = (0x61...0x7A).contains(lower) || (0x30...0x39).contains(lower) || lower >= 0x80
            if isWord {
                bytes.append(lower)
            } else if lower != 0x27, bytes.last != 0x20 {
                bytes.append(0x20)
            }
        }
        bytes.append(0x20)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Presses, raises, curls and extensions mean different joints for different muscles.
    private static func byMuscles(_ exercise: Exercise, name: String) -> Movements {
        let primary = Set(exercise.primaryMuscles)
        let legs: Set<Muscle> = [.quadriceps, .hamstrings, .glutes, .calves, .adductors, .abductors, .shins]
        var found: Movements = []
        if name.contains(" press"), primary.isDisjoint(with: legs) {
            found.formUnion(primary.contains(.shoulders) ? [.press, .overhead] : .press)
        }
        if name.contains(" raise") || name.contains(" lateral") {
            if primary.contains(.shoulders) { found.insert(.raise) }
            if primary.contains(.calves) { found.insert(.calfRaise) }
        }
        if name.contains(" curl") {
            if primary.contains(.hamstrings) {
                found.insert(.kneeCurl)
            } else if !primary.isDisjoint(with: [.biceps, .forearms]) {
                found.insert(.elbowFlexion)
            }
        }
        if name.contains(" extension") {
            if primary.contains(.triceps) { found.insert(.elbowExtension) }
            if primary.contains(.quadriceps) { found.insert(.kneeExtension) }
            if primary.contains(.lowerBack) { found.insert(.backExtension) }
        }
        guard exercise.type != .stretching else { return found }
        if primary.contains(.biceps) { found.insert(.elbowFlexion) }
        if primary.contains(.triceps) { found.insert(.elbowExtension) }
        if primary.contains(.lats) || primary.contains(.middleBack) { found.insert(.pull) }
        if primary.contains(.neck) { found.insert(.neckLoad) }
        if primary.contains(.calves), exercise.type == .strength { found.insert(.calfRaise) }
        return found
    }

    private static func byType(_ exercise: Exercise) -> Movements {
        var found: Movements = []
        if exercise.met.value >= vigorousMET { found.insert(.vigorous) }
        if exercise.met.value >= veryVigorousMET { found.insert(.veryVigorous) }
        switch exercise.type {
        case .olympicWeightlifting: found.formUnion([.maximal, .ballistic, .axial, .hinge, .squat, .overhead, .grip])
        case .powerlifting: found.formUnion([.maximal, .axial, .grip])
        case .strongman: found.formUnion([.maximal, .axial, .grip, .carry, .hinge])
        case .plyometrics:
            // Throws of the upper body are plyometrics as well; all else leaves the ground.
            let isThrow = !Set(exercise.primaryMuscles).isDisjoint(with: [.chest, .shoulders, .triceps, .lats])
            found.formUnion(isThrow ? [.throwing, .ballistic] : [.jump, .ballistic])
        case .swimming: found.insert(.water)
        case .balance: found.insert(.unstable)
        case .strength, .cardio, .stretching: break
        }
        return found
    }

    private static func byEquipment(_ exercise: Exercise, _ found: Movements) -> Movements {
        var added: Movements = []
        let equipment = Set(exercise.equipment)
        let held: Set<Equipment> = [.barbell, .dumbbell, .kettlebell, .ezBar, .cable, .medicineBall, .pullUpBar, .rope]
        if exercise.type != .stretching, !equipment.isDisjoint(with: held) { added.insert(.grip) }
        let heavy: Set<Equipment> = [.barbell, .kettlebell, .dumbbell, .machine]
        if !equipment.isDisjoint(with: heavy),
            !found.isDisjoint(with: [.squat, .lunge, .overhead, .shrug, .carry, .step])
        {
            added.insert(.axial)
        }
        let compound: Movements = [.squat, .hinge, .press, .overhead]
        if !equipment.isDisjoint(with: [.barbell]), !found.isDisjoint(with: compound) { added.insert(.maximal) }
        if !equipment.isDisjoint(with: [.barbell, .ezBar]), found.contains(.supine) { added.insert(.loadAbove) }
        if equipment.contains(.exerciseBall) { added.insert(.unstable) }
        if equipment.contains(.stairs) { added.formUnion([.step, .height]) }
        if equipment.contains(.box) { added.formUnion([.step, .height]) }
        return added
    }
}

/// A phrase that implies movements.
struct TraitPhrase: Sendable {
    /// Lower case, with a blank before its first word; without one behind its last it stands for longer words as well.
    let text: String
    let movements: Movements
    /// Phrases that take it back.
    let unless: [String]

    init(_ text: String, _ movements: Movements, unless: [String] = []) {
        self.text = text
        self.movements = movements
        self.unless = unless
    }

    func isFound(in words: UnsafePointer<CChar>) -> Bool {
        strstr(words, text) != nil && !unless.contains { strstr(words, $0) != nil }
    }
}
