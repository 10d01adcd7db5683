import Campus
import Foundation
import Routing

/// Simulates people of whom nobody, half, or all avoid crowds by the published heatmap. Needs no server.
public struct CrowdDayScenario {
    /// The rule that keeps people from running to and fro together, or none for comparison.
    private static let policies: [CrowdDay.Policy] = [
        .init(name: "nobody avoids crowds", avoiding: 0),
        .init(name: "half avoid crowds", avoiding: 0.5),
        .init(name: "all avoid crowds", avoiding: 1),
        .init(name: "all, without a threshold", avoiding: 1, hasThreshold: false),
        .init(name: "all, by exact numbers", avoiding: 1, isExact: true),
        .init(name: "all, by exact numbers and without a threshold", avoiding: 1, hasThreshold: false, isExact: true),
        .init(name: "all, at departure only", avoiding: 1, reroutes: false),
    ]

    private let options: DayOptions

    public init(_ options: DayOptions) { self.options = options }

    /// - Throws: ``BenchError`` for a file that cannot be read or has no paths.
    public func run() throws -> BenchReport {
        let (campus, graph) = try read()
        let day = try CampusDay(campus, people: options.people)
        var report = BenchReport(
            scenario: "day, routes",
            conditions: """
                \(options.people) people with departures from \(options.from) to \(options.until) o'clock on \
                \(options.file ?? "the sample campus"), half of them counted in the heatmap; \
                crowded: more than \(CrowdDay.crowdedDensity) walkers on a square metre of path
                """)
        var trees: [Int: RouteTree] = [:]
        for policy in Self.policies {
            let start = LoadLoop.now
            let run = CrowdDay(day, graph, policy, sharing: trees)
            run.run(options.from...options.until)
            trees = run.sharedTrees
            add(run, policy, to: &report)
            report.add("  simulated in", Double(LoadLoop.now - start) / 1e9, "s")
        }
        return report
    }

    private func add(_ run: CrowdDay, _ policy: CrowdDay.Policy, to report: inout BenchReport) {
        for (half, name) in zip(run.halves, ["first half", "second half"]) {
            let people = Double(max(1, half.people))
            report.add("\(policy.name), \(name): walking", half.seconds / 60 / people, "minutes a person")
            report.add("  length of a walk", half.metres / Double(max(1, half.walks)), "m")
            report.add("  in crowded cells", half.crowdedSeconds / max(1, half.seconds) * 100, "% of the time")
            report.add("  changes of the route", Double(half.changes) / Double(max(1, half.walks)), "a walk")
        }
        report.add("  turns in a busy cell", run.turnsPerHour, "an hour")
        if run.missing > 0 { report.add("  walks without a route", Double(run.missing), "") }
    }

    private func read() throws -> (CampusDocument, RouteGraph) {
        guard let file = options.file else {
            return (SampleCampus.document, try RouteGraph(RouteNetwork(SampleCampus.network)))
        }
        do {
            let url = URL(fileURLWithPath: file)
            return (try OSMImport().read(url), try RouteGraph(RouteNetwork(try OSMImport().readObjects(url))))
        } catch {
            throw BenchError(description: "\(error)")
        }
    }
}
