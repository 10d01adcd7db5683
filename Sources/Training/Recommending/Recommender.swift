import Wire

/// Composes workouts of a catalogue. A server keeps one and makes another when the catalogue changes.
public struct Recommender: Sendable {
    /// Exercises beyond this number are ignored.
    public static let catalogueMax = 20_000
    /// Generic workouts of a page.
    public static let pageSize = 6
    public static let offsetMax = 60
    public static let leftOutMax = 10
    public static let minutesRange = 5...180
    public static let minutesDefault = 30

    let candidates: [Candidate]

    public init(catalogue: [Exercise]) {
        var ids: Set<String> = []
        candidates = catalogue.prefix(Self.catalogueMax).filter { ids.insert($0.id).inserted }.sorted { $0.id < $1.id }
            .map { Candidate($0) }
    }

    /// The same arguments always give the same workouts. An excluded exercise is in none of their sections.
    public func recommend(_ request: RecommendationRequest, for body: Body, history: TrainingHistory)
        -> RecommendedWorkouts
    {
        let wishes = Wishes(request, body: body, history: RecentHistory(history, candidates: candidates))
        let rules = ExclusionRules.rules(for: body)
        var allowed: [Candidate] = []
        var excluded: [(Candidate, ExerciseExclusion)] = []
        allowed.reserveCapacity(candidates.count)
        for candidate in candidates where wishes.hasLevel(candidate) {
            if let exclusion = ExclusionRules.exclusion(of: candidate.traits, by: rules) {
                excluded.append((candidate, exclusion))
            } else {
                allowed.append(candidate)
            }
        }
        var composer = WorkoutComposer(candidates: allowed, wishes: wishes)
        let offset = min(max(request.offset ?? 0, 0), Self.offsetMax)
        let (personal, generic) = composer.workouts(count: offset + Self.pageSize + 1)
        let page = generic.dropFirst(offset).prefix(Self.pageSize)
        return RecommendedWorkouts(
            recommended: offset == 0 ? personal : nil, others: Array(page),
            hasMore: generic.count > offset + Self.pageSize && offset < Self.offsetMax,
            leftOut: Self.leftOut(excluded, wishes),
            guidelines: SafetyGuidelines.sentences(for: body, type: request.type ?? personal?.plan.type))
    }

    /// Excluded exercises that would have suited: one for each reason, then more of them.
    private static func leftOut(_ excluded: [(Candidate, ExerciseExclusion)], _ wishes: Wishes) -> [LeftOutExercise] {
        let suited = excluded.filter { wishes.suits($0.0) }
            .sorted { ($0.0.isOwn ? 0 : 1, $0.0.exercise.id) < ($1.0.isOwn ? 0 : 1, $1.0.exercise.id) }
        var reasons: Set<String> = []
        let first = suited.filter { reasons.insert($0.1.reason).inserted }
        let names = Set(first.map(\.0.exercise.id))
        return (first + suited.filter { !names.contains($0.0.exercise.id) }).prefix(leftOutMax).map {
            LeftOutExercise(name: $0.0.exercise.name, reason: $0.1.reason)
        }
    }
}

/// An exercise with its traits. A class, because choosing sorts and copies it often.
final class Candidate: Sendable {
    let exercise: Exercise
    let traits: ExerciseTraits
    let equipment: EquipmentBits
    let isOwn: Bool
    let isWarmUp: Bool
    let isCoolDown: Bool
    /// Whether it lasts for minutes, as walking and cycling do.
    let isSustained: Bool
    let hash: UInt64

    init(_ exercise: Exercise) {
        self.exercise = exercise
        traits = ExerciseTraits(of: exercise)
        equipment = EquipmentBits(exercise.equipment)
        isOwn = exercise.source == .campanile
        isWarmUp = ExerciseCatalogue.warmUps.contains(exercise.id)
        isCoolDown = ExerciseCatalogue.coolDowns.contains(exercise.id)
        let machines = EquipmentBits([.treadmill, .bicycle, .rower, .elliptical, .stairs])
        isSustained =
            exercise.type == .cardio && (exercise.measures.contains(.distance) || !machines.isDisjoint(with: equipment))
        hash = StableHash.of(exercise.id)
    }
}

/// Equipment as a set of bits.
struct EquipmentBits: OptionSet, Sendable, Hashable {
    let rawValue: UInt32

    init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    init(_ equipment: some Sequence<Equipment>) {
        rawValue = equipment.reduce(0) { $0 | Self.bits[$1, default: 0] }
    }

    private static let bits: [Equipment: UInt32] = Dictionary(
        uniqueKeysWithValues: Equipment.allCases.enumerated().map { ($1, 1 << UInt32($0)) })

    static let pool = EquipmentBits([.pool])
    static let all = EquipmentBits(Equipment.allCases)
}

/// FNV-1a: Swift's own hashes differ in each process.
enum StableHash {
    static func of(_ text: String, seed: UInt64 = 0xCBF2_9CE4_8422_2325) -> UInt64 {
        text.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// UUID of a text (version 8 of RFC 9562).
    static func uuid(of text: String) -> String {
        let high = of(text)
        let low = of(text, seed: high ^ 0x9E37_79B9_7F4A_7C15)
        let digits = [high, low].map { value in
            let hex = String(value, radix: 16)
            return String(repeating: "0", count: 16 - hex.count) + hex
        }.joined()
        let all = Array(digits)
        func part(_ range: Range<Int>) -> String { String(all[range]) }
        let parts: [String] = [part(0..<8), part(8..<12), "8" + part(13..<16), "a" + part(17..<20), part(20..<32)]
        return parts.joined(separator: "-")
    }
}
