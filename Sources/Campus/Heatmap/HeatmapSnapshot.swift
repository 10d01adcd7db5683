import Wire

/// Decides what of a crowd is published. Not thread-safe: confined to its owner.
///
/// A cell is *looked at* when enough people have come and gone since it was looked at last; between two looks it shows the same. A
/// look rounds by a secret number; two more secret numbers say how many must come and go before the next look, and below how many
/// people the cell shows nothing whatever else happens. So what is seen follows at least ``HeatmapRules/peopleMin`` people together, and
/// one alone decides it once in ``HeatmapRules/step`` times at most.
public struct HeatmapSnapshot: Sendable {
    /// Secret numbers of a cell, always the same for the same arguments, and for others as if thrown by dice.
    public typealias Secret = @Sendable (_ place: HeatmapPlace, _ window: Int64, _ look: Int) -> UInt64

    /// A cell since it was looked at last.
    private struct Look {
        /// Who was in it then, in order.
        var members: [Int64] = []
        /// What it shows; 0 for nothing.
        var people = 0
        /// It shows nothing with fewer.
        var hiddenBelow = 0
        /// It is looked at again when so many have come and gone.
        var moversMin = 0
        /// Of its windows' beginnings, epochs: nobody knows when its people may move its value once more.
        var phase: Int64
        var window: Int64
        /// Within the window.
        var looks = 0
        /// Whose coming or going has moved its value within the window.
        var hasCome: Set<Int64> = []
        var hasGone: Set<Int64> = []
    }

    private let secret: Secret
    private var looks: [HeatmapPlace: Look] = [:]
    /// What is published, by row and column.
    public private(set) var cells: [HeatCell] = []

    /// Nothing is published.
    public init(secret: @escaping Secret) { self.secret = secret }

    /// Cells that something is remembered of.
    public var rememberedCount: Int { looks.count }

    /// The end of an epoch. O(people · log people).
    /// - Parameters:
    ///   - people: Everybody who counts, each once.
    ///   - epoch: Its number.
    /// - Returns: Whether ``cells`` changed.
    public mutating func end(_ epoch: Int64, with people: [HeatmapPerson]) -> Bool {
        let sorted = people.sorted { ($0.place, $0.account) < ($1.place, $1.account) }
        var occupied: Set<HeatmapPlace> = []
        var first = 0
        while first < sorted.count {
            let place = sorted[first].place
            var next = first + 1
            while next < sorted.count, sorted[next].place == place { next += 1 }
            // Too few to be looked at, and nothing to compare them with.
            if looks[place] != nil || next - first >= HeatmapRules.peopleMin {
                occupied.insert(place)
                end(epoch, of: place, with: sorted[first..<next].map(\.account))
            }
            first = next
        }
        for place in looks.keys where !occupied.contains(place) { end(epoch, of: place, with: []) }
        return publish()
    }

    private mutating func publish() -> Bool {
        let shown = looks.filter { $0.value.people > 0 }.sorted { $0.key < $1.key }
            .map { HeatCell(x: $0.key.x, y: $0.key.y, people: $0.value.people) }
        guard shown != cells else { return false }
        cells = shown
        return true
    }

    private mutating func end(_ epoch: Int64, of place: HeatmapPlace, with members: [Int64]) {
        var look = looks.removeValue(forKey: place) ?? first(at: place, epoch)
        let window = Self.window(epoch, phase: look.phase)
        if window != look.window {
            look.window = window
            look.looks = 0
            look.hasCome = []
            look.hasGone = []
            // So few say nothing whenever they are compared: who was there before is forgotten.
            if look.people == 0, members.count < HeatmapRules.peopleMin { look.members = members }
        }
        let (come, gone) = Self.difference(look.members, members)
        let movers = come.count { !look.hasCome.contains($0) } + gone.count { !look.hasGone.contains($0) }
        let isTooEmpty = look.people > 0 && members.count < look.hiddenBelow
        if isTooEmpty || movers >= look.moversMin + look.members.count / HeatmapRules.peoplePerMover + look.looks {
            look.looks += 1
            look.hasCome.formUnion(come)
            look.hasGone.formUnion(gone)
            look.members = members
            let dice = Dice(secret(place, window, look.looks))
            look.people = isTooEmpty ? 0 : Self.rounded(members.count, by: dice)
            look.hiddenBelow = HeatmapRules.peopleMin + dice.hiding
            look.moversMin = HeatmapRules.peopleMin + dice.moving
        }
        if !look.members.isEmpty || !look.hasCome.isEmpty || !look.hasGone.isEmpty { looks[place] = look }
    }

    private func first(at place: HeatmapPlace, _ epoch: Int64) -> Look {
        let phase = Int64(secret(place, -1, 0) % UInt64(HeatmapRules.windowEpochs))
        let window = Self.window(epoch, phase: phase)
        return Look(
            moversMin: HeatmapRules.peopleMin + Dice(secret(place, window, 0)).moving, phase: phase, window: window)
    }

    /// Rounds up or down to a number that can be shown, in the mean to the number itself; 0 for nothing.
    private static func rounded(_ people: Int, by dice: Dice) -> Int {
        // One number for both, so that one person more or less shows one time in five at most.
        guard people >= HeatmapRules.appearMin + dice.rounding % HeatmapRules.step else { return 0 }
        let (level, step) = HeatmapRules.level(below: people)
        return people - level > dice.rounding % step ? level + step : level
    }

    private static func window(_ epoch: Int64, phase: Int64) -> Int64 {
        Int64((Double(epoch + phase) / Double(HeatmapRules.windowEpochs)).rounded(.down))
    }

    /// The secret numbers of a look.
    private struct Dice {
        /// What is seen says something of it; of the others it says nothing.
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

    /// Who is in the second but not in the first, and the other way round; both are in order.
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
