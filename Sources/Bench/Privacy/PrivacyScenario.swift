import Campus
import Foundation
import Wire

/// Simulates attacks on private zones and on each precision of shared positions. It needs no server and measures no
/// time.
struct PrivacyScenario {
    let options: BenchOptions

    init(_ options: BenchOptions) { self.options = options }

    func run() throws -> BenchReport {
        let graph: StreetGraph
        let town: String
        if let map = options.map {
            graph = StreetGraph(try OSMImport().read(map))
            town = map.lastPathComponent
        } else {
            graph = StreetGraph(blocks: 44, seed: 1)
            town = "a synthetic town"
        }
        guard graph.nodes.count > 100 else {
            throw BenchError(description: "\(town) has too few streets: take a larger extract")
        }
        let people = "\(options.homes) homes x \(options.commutes) commutes"
        var report = BenchReport(
            scenario: "privacy",
            conditions: "\(people) in \(town); \(Self.walkers) people for an hour")
        for size in [PrivateZoneSize.tiny, .small, .medium] {
            let world = CommuteWorld(
                graph: graph, size: size, homes: options.homes, commutesPerHome: options.commutes)
            let found = world.run(seed: 7)
            for defence in CommuteWorld.Defence.allCases {
                for (attack, success) in (found[defence] ?? [:]).sorted(by: { $0.key < $1.key }) {
                    let name = "\(size.rawValue), \(defence.rawValue), by \(attack)"
                    report.add("\(name): within 50 m", success.within50 * 100, "%")
                    report.add("\(name): within 100 m", success.within100 * 100, "%")
                    report.add("\(name): median", success.medianMetres, "m")
                }
            }
            // At the edge of a map, or at a lake, the ends lie on a short arc; then the distance attack has to work.
            let control = ["circle", "distance"].compactMap { found[.plain]?[$0]?.within50 }.max() ?? 0
            guard control < 0.5 else { continue }
            let weak = "neither attack finds homes in plain circles of the size \(size.rawValue): that proves nothing"
            // Larger zones exceed many extracts, but the results for small ones remain valid.
            if size == .small { report.failure = weak } else { report.remarks.append(weak + "; take a larger extract") }
        }
        addLadder(to: &report)
        return report
    }

    private static let walkers = 100

    private func addLadder(to report: inout BenchReport) {
        let world = LadderWorld(people: Self.walkers)
        for (what, found) in [("standing", world.standing(seed: 3)), ("walking", world.walking(seed: 4))] {
            for method in LadderWorld.PublishingMethod.all {
                guard let recovered = found[method] else { continue }
                let name = "\(what), \(method.name)"
                report.add("\(name): one update, median", LadderWorld.Recovered.median(recovered.single), "m")
                report.add("\(name): averaged, median", LadderWorld.Recovered.median(recovered.averaged), "m")
                report.add("\(name): averaged, best", recovered.averaged.min() ?? .infinity, "m")
            }
        }
    }
}
