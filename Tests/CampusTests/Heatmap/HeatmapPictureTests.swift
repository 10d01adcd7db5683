import Testing
import Wire

@testable import Campus

@Suite("What the heatmap publishes")
struct HeatmapPictureTests {
    private static let place = HeatmapPlace(x: 134_000, y: 194_000)

    /// Dice of a seed, the same for the same question.
    static func secret(_ seed: UInt64) -> HeatmapSnapshot.Secret {
        { place, window, evaluation in
            var word =
                seed &+ place.bits &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(bitPattern: window) &* 0xBF58_476D_1CE4_E5B9
            for _ in 0...2 {
                word = (word ^ word >> 29) &* 0x94D0_49BB_1331_11EB &+ UInt64(evaluation)
                word ^= word >> 32
            }
            return word
        }
    }

    private func people(_ accounts: some Sequence<Int>, in place: HeatmapPlace = place) -> [HeatmapPerson] {
        accounts.map { HeatmapPerson(account: Int64($0), place: place) }
    }

    /// What is shown first of so many, for many secrets.
    private func first(_ count: Int) -> [Int] {
        (0..<400).map { seed in
            var snapshot = HeatmapSnapshot(secret: Self.secret(UInt64(seed)))
            _ = snapshot.end(7, with: people(1..<count + 1))
            return snapshot.cells.first?.people ?? 0
        }
    }

    @Test(
        "The heatmap first shows a cell never with fewer than nine people, always with thirteen, and in between as often as is due"
    )
    func appearing() {
        for count in 1...8 { #expect(first(count).allSatisfy { $0 == 0 }) }
        for count in 13...20 { #expect(first(count).allSatisfy { $0 > 0 }) }
        for count in 9...12 {
            let shown = Double(first(count).count { $0 > 0 }) / 400
            #expect(abs(shown - Double(count - 8) / 5) < 0.08)
        }
    }

    @Test("The heatmap rounds to few numbers, all multiples of five, whose mean is the true number")
    func rounding() {
        for count in [13, 17, 20, 24, 33, 47, 79, 100, 555] {
            let shown = first(count)
            let (level, step) = HeatmapRules.level(below: count)
            #expect(Set(shown).isSubset(of: [level, level + step]))
            #expect(step <= max(5, count / 2) && level % 5 == 0 && step % 5 == 0)
            let mean = Double(shown.reduce(0, +)) / Double(shown.count)
            #expect(abs(mean - Double(count)) < Double(step) * 0.1)
        }
        #expect(first(10).allSatisfy { $0 == 0 || $0 == 10 })
    }

    @Test("The heatmap shows the same whatever one to four people do, for hours")
    func four() {
        for seed in 0..<50 {
            var snapshot = HeatmapSnapshot(secret: Self.secret(UInt64(seed)))
            _ = snapshot.end(0, with: people(1...30))
            let shown = snapshot.cells
            for epoch in 1..<400 {
                let gone = (0..<4).map { 1 + ($0 + epoch) % 4 }.prefix(epoch % 5)
                let isOther = snapshot.end(Int64(epoch), with: people((1...30).filter { !gone.contains($0) }))
                #expect(!isOther && snapshot.cells == shown)
            }
        }
    }

    @Test("The heatmap does not change when the same people come and go many times within the hour")
    func again() {
        for seed in 0..<50 {
            var snapshot = HeatmapSnapshot(secret: Self.secret(UInt64(seed)))
            // Of the 12 each moves the value once by coming and once by going, and at least five are needed each time.
            var changes = 0
            for epoch in 0..<120 {
                if snapshot.end(Int64(epoch), with: epoch % 2 == 0 ? people(1...12) : []) { changes += 1 }
            }
            // An hour that is nobody's to choose may have two windows in it, and in each of them 24 comings and goings.
            #expect(changes <= 2 * 24 / 5)
        }
    }

    /// A crowd that walks over a few cells at random.
    private struct Crowd {
        var dice = SeededDice(1)
        var places: [Int64: HeatmapPlace] = [:]

        mutating func move() -> [HeatmapPerson] {
            for account in Int64(1)...120 where dice.below(4) == 0 {
                let isHere = dice.below(5) > 0
                places[account] =
                    isHere
                    ? HeatmapPlace(x: UInt32(100 + min(dice.below(4), dice.below(4))), y: UInt32(200 + dice.below(2)))
                    : nil
            }
            return places.map { HeatmapPerson(account: $0.key, place: $0.value) }
        }
    }

    @Test(
        "The heatmap shows a crowd that vanished and came back only after the hour, and other crowds at once"
    )
    func vanished() {
        var waits: [Int64] = []
        for seed in 0..<50 {
            var snapshot = HeatmapSnapshot(secret: Self.secret(UInt64(seed)))
            _ = snapshot.end(1, with: people(1...26))
            #expect(snapshot.cells.count == 1)
            _ = snapshot.end(2, with: [])
            #expect(snapshot.cells.isEmpty)
            var others = snapshot
            _ = others.end(3, with: people(101...126))
            #expect(others.cells.count == 1)
            var epoch: Int64 = 3
            while !snapshot.end(epoch, with: people(1...26)), epoch < 1_000 { epoch += 1 }
            waits.append(epoch - 2)
        }
        #expect(waits.allSatisfy { $0 <= HeatmapRules.windowEpochs })
        // The hour begins when nobody knows: most wait for much of it.
        #expect(waits.count { $0 > HeatmapRules.windowEpochs / 4 } > 25)
    }

    @Test(
        "The heatmap shows no cell with fewer than five people at any tick, and nothing new of one unless five have come or gone"
    )
    func invariants() {
        var crowd = Crowd()
        var snapshot = HeatmapSnapshot(secret: Self.secret(3))
        var last: [HeatmapPlace: (shown: Int, members: Set<Int64>)] = [:]
        var (changes, hidden) = (0, 0)
        for epoch in 0..<4_000 {
            let people = crowd.move()
            _ = snapshot.end(Int64(epoch), with: people)
            let members = Dictionary(grouping: people, by: \.place).mapValues { Set($0.map(\.account)) }
            let shown = Dictionary(
                uniqueKeysWithValues: snapshot.cells.map { (HeatmapPlace(x: $0.x, y: $0.y), $0.people) })
            for (place, people) in shown {
                #expect((members[place]?.count ?? 0) >= HeatmapRules.peopleMin)
                #expect(people % 5 == 0 && people >= 10)
            }
            for place in Set(shown.keys).union(last.keys) {
                let (now, before) = (shown[place] ?? 0, last[place]?.shown ?? 0)
                let (inside, then) = (members[place] ?? [], last[place]?.members ?? [])
                guard now != before else { continue }
                changes += 1
                // Hidden as it became too empty: somebody may be the last straw, but nobody can know whether.
                if now == 0, inside.count < HeatmapRules.appearMin {
                    hidden += 1
                } else {
                    #expect(inside.symmetricDifference(then).count >= HeatmapRules.peopleMin)
                }
                last[place] = (now, inside)
            }
        }
        #expect(changes > 200 && hidden > 20)
    }

    @Test("The heatmap is the same after a restart in the same hour, and at another server")
    func restart() {
        for seed in 0..<100 {
            let pictures = (0..<2).map { _ in
                var snapshot = HeatmapSnapshot(secret: Self.secret(UInt64(seed)))
                _ = snapshot.end(7, with: people(1...11))
                return snapshot.cells
            }
            #expect(pictures[0] == pictures[1])
        }
    }

    @Test("The heatmap forgets cells where nobody is")
    func forgetting() {
        var snapshot = HeatmapSnapshot(secret: Self.secret(5))
        for epoch in 0..<300 {
            let place = HeatmapPlace(x: UInt32(epoch), y: 1)
            _ = snapshot.end(Int64(epoch), with: people(epoch * 20..<epoch * 20 + 20, in: place))
        }
        for epoch in 300..<600 { _ = snapshot.end(Int64(epoch), with: []) }
        #expect(snapshot.rememberedCount == 0 && snapshot.cells.isEmpty)
    }
}

/// Numbers of a seed (SplitMix64).
struct SeededDice {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func below(_ limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ mixed >> 31) % UInt64(limit))
    }
}
