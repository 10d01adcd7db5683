import Wire

/// Decides which counts of a crowd are published. Not thread-safe: confined to its owner.
///
/// A cell's published value changes only when the cell is *re-evaluated*, after enough people have come and gone since
/// the last evaluation. Each evaluation rounds by a secret number. Two more secret numbers determine how many people
/// must come and go before the next evaluation, and below how many people the cell shows nothing regardless of the
/// rest. A published change therefore reflects at least ``HeatmapRules/peopleMin`` people together, and a single person
/// alone decides it at most once in ``HeatmapRules/step`` times.
public struct HeatmapSnapshot: Sendable {
    /// A function that returns secret numbers of a cell: the same for the same arguments, and otherwise pseudorandom.
    public typealias Secret = @Sendable (_ place: HeatmapPlace, _ window: Int64, _ evaluation: Int) -> UInt64

    /// A cell's state since its last evaluation.
    private struct CellState {
        /// People in the cell at the last evaluation, sorted.
        var members: [Int64] = []
        /// The published number; 0 for nothing.
        var people = 0
        /// Below this number of people the cell shows nothing.
        var hiddenBelow = 0
        /// Number of people who must come or go before the next evaluation.
        var moversMin = 0
        /// Secret offset of the windows' starts, in epochs, so that nobody knows when a window's people may change the
        /// value again.
        var phase: Int64
        var window: Int64
        /// Number of evaluations within the window.
        var evaluations = 0
        /// People whose coming or going has changed the value within the window.
        var hasCome: Set<Int64> = []
        var hasGone: Set<Int64> = []
    }

    private let secret: Secret
    private var states: [HeatmapPlace: CellState] = [:]
    /// The published cells, by row and column.
    public private(set) var cells: [HeatCell] = []

    public init(secret: @escaping Secret) { self.secret = secret }

    /// Number of cells with state.
    public var rememberedCount: Int { states.count }

    /// Ends an epoch and re-evaluates the cells. O(people · log people).
    /// - Parameters:
    ///   - people: Everybody who counts, each once.
    ///   - epoch: The epoch's number.
    /// - Returns: Whether ``cells`` changed.
    public mutating func end(_ epoch: Int64, with people: [HeatmapPerson]) -> Bool {
        let sorted = people.sorted { ($0.place, $0.account) < ($1.place, $1.account) }
        var occupied: Set<HeatmapPlace> = []
        var first = 0
        while first < sorted.count {
            let place = sorted[first].place
            var next = first + 1
            while next < sorted.count, sorted[next].place == place { next += 1 }
            // Otherwise the cell has too few people to evaluate and no earlier state to compare with.
            if states[place] != nil || next - first >= HeatmapRules.peopleMin {
                occupied.insert(place)
                end(epoch, of: place, with: sorted[first..<next].map(\.account))
            }
            first = next
        }
        for place in states.keys where !occupied.contains(place) { end(epoch, of: place, with: []) }
        return publish()
    }

    private mutating func publish() -> Bool {
        let shown = states.filter { $0.value.people > 0 }.sorted { $0.key < $1.key }
            .map { HeatCell(x: $0.key.x, y: $0.key.y, people: $0.value.people) }
        guard shown != cells else { return false }
        cells = shown
        return true
    }

    private mutating func end(_ epoch: Int64, of place: HeatmapPlace, with members: [Int64]) {
        var state = states.removeValue(forKey: place) ?? first(at: place, epoch)
        let window = Self.window(epoch, phase: state.phase)
        if window != state.window {
            state.window = window
            state.evaluations = 0
            state.hasCome = []
            state.hasGone = []
            // So few people reveal nothing at any comparison, so the earlier members are forgotten.
            if state.people == 0, members.count < HeatmapRules.peopleMin { state.members = members }
        }
        let (come, gone) = Self.difference(state.members, members)
        let movers = come.count { !state.hasCome.contains($0) } + gone.count { !state.hasGone.contains($0) }
        let isTooEmpty = state.people > 0 && members.count < state.hiddenBelow
        if isTooEmpty
            || movers >= state.moversMin + state.members.count / HeatmapRules.peoplePerMover + state.evaluations
        {
            state.evaluations += 1
            state.hasCome.formUnion(come)
            state.hasGone.formUnion(gone)
            state.members = members
            let dice = Dice(secret(place, window, state.evaluations))
            state.people = isTooEmpty ? 0 : Self.rounded(members.count, by: dice)
            state.hiddenBelow = HeatmapRules.peopleMin + dice.hiding
            state.moversMin = HeatmapRules.peopleMin + dice.moving
        }
        if !state.members.isEmpty || !state.hasCome.isEmpty || !state.hasGone.isEmpty { states[place] = state }
    }

    private func first(at place: HeatmapPlace, _ epoch: Int64) -> CellState {
        let phase = Int64(secret(place, -1, 0) % UInt64(HeatmapRules.windowEpochs))
        let window = Self.window(epoch, phase: phase)
        return CellState(
            moversMin: HeatmapRules.peopleMin + Dice(secret(place, window, 0)).moving, phase: phase, window: window)
    }

    /// Rounds up or down to a publishable number, with the number itself as the mean; 0 for nothing.
    private static func rounded(_ people: Int, by dice: Dice) -> Int {
        // The same secret number decides both, so that one person more or less is visible at most one time in five.
        guard people >= HeatmapRules.appearMin + dice.rounding % HeatmapRules.step else { return 0 }
        let (level, step) = HeatmapRules.level(below: people)
        return people - level > dice.rounding % step ? level + step : level
    }

    private static func window(_ epoch: Int64, phase: Int64) -> Int64 {
        Int64((Double(epoch + phase) / Double(HeatmapRules.windowEpochs)).rounded(.down))
    }

    /// The secret numbers of an evaluation.
    private struct Dice {
        /// The published value reveals something about this number, but nothing about the others.
        let rounding: Int
        /// 0 to 4.
        let hiding: Int
        /// 0 to 4.
        let moving: Int

        init(_ number: UInt64) {
            let sides = UInt64(HeatmapRules.step)
            let (high, low) = (number >> 32, number & 0xFFFF_FFFF)
            rounding = Int(low)
            hiding = Int(high % sides)
            moving = Int(high / sides % sides)
        }
    }

    /// The elements that are only in `after` (come), and those only in `before` (gone); both inputs are sorted.
    private static func difference(_ before: [Int64], _ after: [Int64]) -> (come: [Int64], gone: [Int64]) {
        var (come, gone): ([Int64], [Int64]) = ([], [])
        var (old, new) = (0, 0)
        while old < before.count || new < after.count {
            if new == after.count || (old < before.count && before[old] < after[new]) {
                gone.append(before[old])
                old += 1
            } else if old == before.count || after[new] < before[old] {
                come.append(after[new])
                new += 1
            } else {
                old += 1
                new += 1
            }
        }
        return (come, gone)
    }
}
