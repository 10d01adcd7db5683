import Campus
import Foundation
import Wire

/// A simulated attacker who wants to learn one fact about a target: whether it is in a cell, or came, or left. The
/// attacker sees everything published, knows the rules and everybody else's position at every moment, brings accounts
/// of its own, and has rehearsed the attack thousands of times.
struct HeatmapAttack: Sendable {
    /// The known people in each epoch, without the target.
    typealias Script = [[HeatmapPerson]]

    let name: String
    let script: Script
    /// The target's cell in each epoch if the fact is true, and if it is false; nil for absent.
    let yes: [HeatmapPlace?]
    let no: [HeatmapPlace?]

    /// The cell under attack, and the one east of it.
    static let cell = HeatmapPlace(x: 134_000, y: 194_000)
    static let neighbour = HeatmapPlace(x: 134_001, y: 194_000)
    static let target: Int64 = 1
    /// The account id of another person, or of the attacker.
    static func account(_ index: Int) -> Int64 { Int64(10 + index) }
    /// The epoch in which attacks start, with no history before it.
    static let firstEpoch: Int64 = 58_000_000

    /// The result of an attack.
    struct Outcome: Sendable {
        /// Fraction of correct guesses; 0.5 is chance.
        let right: Double
        /// Fraction of guesses that were correct with a certainty of 99 %.
        let certain: Double
    }

    private struct Step: Hashable {
        let time: Int
        let before: [Int]
        let now: [Int]
    }

    /// Rehearses and performs the attack.
    /// - Parameter trials: Number of guesses; there are twice as many rehearsals.
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
                // Without evidence, the guess is a coin toss.
                right += 0.5
                continue
            }
            guard (evidence > 0) == isThere else { continue }
            right += 1
            if abs(evidence) > log(99) { certain += 1 }
        }
        return Outcome(right: right / Double(trials), certain: certain / Double(trials))
    }

    /// The published changes of both cells.
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
