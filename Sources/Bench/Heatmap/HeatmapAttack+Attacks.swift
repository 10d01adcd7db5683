import Campus
import Wire

/// The simulated attacks.
extension HeatmapAttack {
    private static func people(_ accounts: some Sequence<Int>, in place: HeatmapPlace = cell) -> [HeatmapPerson] {
        accounts.map { HeatmapPerson(account: account($0), place: place) }
    }

    /// A cell with only the attacker's accounts, and perhaps the target, for an hour.
    static func sybils(_ count: Int) -> HeatmapAttack {
        let epochs = 120
        return HeatmapAttack(
            name: "\(count) accounts in an empty cell, for an hour",
            script: Array(repeating: people(0..<count), count: epochs),
            yes: Array(repeating: cell, count: epochs), no: Array(repeating: nil, count: epochs))
    }

    /// Like ``sybils(_:)``, but with other accounts of the attacker every two minutes, so that the cell is
    /// re-evaluated.
    static func rotating(_ count: Int, of all: Int) -> HeatmapAttack {
        let epochs = 120
        var dice = SplitMix(UInt64(count * 1_000 + all))
        var script: Script = []
        var now = Array(0..<all).shuffled(using: &dice).prefix(count)
        for epoch in 0..<epochs {
            if epoch % 4 == 3 { now = Array(0..<all).shuffled(using: &dice).prefix(count) }
            script.append(people(now))
        }
        return HeatmapAttack(
            name: "\(count) of \(all) accounts by turns, for an hour", script: script,
            yes: Array(repeating: cell, count: epochs), no: Array(repeating: nil, count: epochs))
    }

    /// The target joins a constant group from one tick to the next, or does not.
    static func coming(to count: Int) -> HeatmapAttack {
        let epochs = 12
        return HeatmapAttack(
            name: "comes to \(count) who stay", script: Array(repeating: people(0..<count), count: epochs),
            yes: Array(repeating: nil, count: 6) + Array(repeating: cell, count: 6),
            no: Array(repeating: nil, count: epochs))
    }

    /// The target leaves or stays while others leave one by one, so that a single departure decides.
    static func going(from count: Int, after others: Int) -> HeatmapAttack {
        let start = 4
        let script = (0..<start + others + 3).map { epoch in
            people(min(max(0, epoch - start + 1), others)..<count)
        }
        let gone = start + others
        return HeatmapAttack(
            name: "goes after \(others) of \(count) others", script: script,
            yes: script.indices.map { $0 < gone ? cell : nil }, no: script.indices.map { _ in cell })
    }

    /// The target crosses from one cell into the next, or stays; both cells have constant groups.
    static func crossing(_ count: Int, _ next: Int) -> HeatmapAttack {
        let epochs = 12
        let known = people(0..<count) + people(count..<count + next, in: neighbour)
        return HeatmapAttack(
            name: "crosses from \(count) others to \(next)", script: Array(repeating: known, count: epochs),
            yes: Array(repeating: cell, count: 6) + Array(repeating: neighbour, count: 6),
            no: Array(repeating: cell, count: epochs))
    }

    /// The target stays for an hour among people who come and go, or is absent. Each person is replaced with a
    /// probability of 1/`moving` per epoch.
    static func hour(_ count: Int, moving: Int) -> HeatmapAttack {
        let epochs = 120
        var dice = SplitMix(UInt64(count * 100 + moving))
        var present = Array(0..<count)
        var next = count
        var script: Script = []
        for _ in 0..<epochs {
            for index in present.indices where Int.random(in: 0..<moving, using: &dice) == 0 {
                present[index] = next
                next += 1
            }
            // Vary the number and the people.
            let now = present.prefix(count - Int.random(in: 0...count / 4, using: &dice))
            script.append(people(now))
        }
        return HeatmapAttack(
            name: "an hour among \(count) of whom one in \(moving) leaves each tick", script: script,
            yes: Array(repeating: cell, count: epochs), no: Array(repeating: nil, count: epochs))
    }

    /// All attacks, in display order.
    static var all: [HeatmapAttack] {
        [4, 8, 12, 16].map(sybils) + [rotating(8, of: 13), rotating(12, of: 24), rotating(20, of: 50)]
            + [4, 8, 12, 20, 50].map(coming(to:))
            + [
                going(from: 8, after: 3), going(from: 13, after: 4), going(from: 13, after: 8),
                going(from: 20, after: 8),
            ]
            + [crossing(9, 4), crossing(12, 12), crossing(30, 20)] + [hour(20, moving: 40), hour(20, moving: 10)]
    }
}
