import Campus
import Foundation
import Wire

/// Somebody who wants to know one thing of one person: whether they are in a cell, or came, or went. They see all that is published, know
/// the rules and where everybody else is at every moment, bring accounts of their own, and have rehearsed it thousands of times.
struct HeatmapAttack: Sendable {
    /// What happens in an epoch, apart from the person it is about.
    typealias Script = [[HeatmapPerson]]

    let name: String
    /// Of everybody who is known.
    let script: Script
    /// Where the person is in each epoch if the guess is yes, and if it is no; nil for nowhere.
    let yes: [HeatmapPlace?]
    let no: [HeatmapPlace?]

    /// The cell that it is about, and the one east of it.
    static let cell = HeatmapPlace(x: 134_000, y: 194_000)
    static let neighbour = HeatmapPlace(x: 134_001, y: 194_000)
    static let target: Int64 = 1
    /// Accounts of others, and of the attacker.
    static func account(_ index: Int) -> Int64 { Int64(10 + index) }
    /// Before an attack nothing has happened for a while.
    static let firstEpoch: Int64 = 58_000_000

    /// What came of it.
    struct Outcome: Sendable {
        /// Of all guesses so many were right; 0.5 is chance.
        let right: Double
        /// Of all guesses so many were certain (99 in 100), and right.
        let certain: Double
    }

    private struct Step: Hashable {
        let time: Int
        let before: [Int]
        let now: [Int]
    }

    /// Rehearses and tries.
    /// - Parameter trials: Of each kind.
    func run(against way: HeatmapPublishing, trials: Int, seed: UInt64) -> Outcome {
        var dice = SplitMix(seed)
        var seen: [Step: (no: Double, yes: Double)] = [:]
        for trial in 0..<2 * trials {
            let isThere = trial % 2 == 1
            for step in watch(way, secret: dice.next(), isThere: isThere) {
                var counts = seen[step] ?? (0, 0)
                if isThere { counts.yes += 1 } else { counts.no += 1 }
                seen[step] = counts
            }
        }
        var (right, certain) = (0.0, 0.0)
        for trial in 0..<trials {
            let isThere = trial % 2 == 1
            var evidence = 0.0
            for step in watch(way, secret: dice.next(), isThere: isThere) {
                let counts = seen[step] ?? (0, 0)
                evidence += log((counts.yes + 0.01) / (counts.no + 0.01))
            }
            guard abs(evidence) > 1e-9 else {
                // A coin decides.
                right += 0.5
                continue
            }
            guard (evidence > 0) == isThere else { continue }
            right += 1
            if abs(evidence) > log(99) { certain += 1 }
        }
        return Outcome(right: right / Double(trials), certain: certain / Double(trials))
    }

    /// What is seen, change by change.
    private func watch(_ way: HeatmapPublishing, secret: UInt64, isThere: Bool) -> [Step] {
        var publisher = way.publisher(secret: secret)
        var steps: [Step] = []
        var before = [0, 0]
        for (time, known) in script.enumerated() {
            let place = (isThere ? yes : no)[time]
            let people = known + (place.map { [HeatmapPerson(account: Self.target, place: $0)] } ?? [])
            let shown = publisher.end(Self.firstEpoch + Int64(time), with: people)
            let now = [shown[Self.cell] ?? 0, shown[Self.neighbour] ?? 0]
            steps.append(Step(time: time, before: before, now: now))
            before = now
        }
        return steps
    }
}
