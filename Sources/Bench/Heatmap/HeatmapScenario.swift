import Campus
import Glibc
import Services
import Wire

/// Measures what attacks on the heatmap find out, compared with less careful methods, and the cost of counting 10,000
/// moving people. It needs no server: both run the server's own code.
struct HeatmapScenario {
    /// Guesses of each attack, after twice as many rehearsals.
    private static let trials = 3_000
    private static let people = 10_000
    /// Half an hour.
    private static let epochs = 60
    private static let reportsPerEpoch = 6
    private static let seed: UInt64 = 1

    func run() throws -> BenchReport {
        var report = BenchReport(
            scenario: "heatmap", conditions: "\(Self.trials) guesses of each attack; \(Self.people) people who move")
        attack(&report)
        try cost(&report)
        try use(&report)
        return report
    }

    private func attack(_ report: inout BenchReport) {
        for attack in HeatmapAttack.all {
            for way in HeatmapPublishing.allCases {
                let outcome = attack.run(against: way, trials: Self.trials, seed: Self.seed)
                report.add("\(attack.name): right, \(way.name)", outcome.right * 100, "%")
                if way == .product { report.add("  and certain", outcome.certain * 100, "%") }
            }
        }
        report.remarks.append("50 % is chance; the attacker knows everybody else's position and all rules")
        let few = HeatmapAttack.sybils(HeatmapRules.peopleMin - 1)
        if few.run(against: .product, trials: Self.trials, seed: Self.seed).right != 0.5 {
            report.failure = "k - 1 accounts reveal who else is in a cell"
        }
    }

    /// Measures the CPU cost for people who walk about one square kilometre and gather at some places.
    private func cost(_ report: inout BenchReport) throws {
        var dice = SplitMix(Self.seed)
        let middle = try GeoPoint(latitude: 42.055, longitude: -87.675)
        let spots = (0..<60).map { _ in
            (Double.random(in: -500...500, using: &dice), Double.random(in: -500...500, using: &dice))
        }
        var places = (0..<Self.people).map { index in spots[index % spots.count] }
        var crowd = HeatmapCrowd()
        let key = (0..<32).map { _ in UInt8.random(in: 0...255, using: &dice) }
        var snapshot = HeatmapSnapshot(secret: Heatmap.secret(from: key))
        var (noting, ending) = (0.0, [Double]())
        var (bytes, changes) = (0, 0)
        for epoch in 0..<Self.epochs {
            for round in 0..<Self.reportsPerEpoch {
                for index in places.indices {
                    places[index].0 += Double.random(in: -7...7, using: &dice)
                    places[index].1 += Double.random(in: -7...7, using: &dice)
                }
                let points = places.map { middle.offset(eastMetres: $0.0, northMetres: $0.1) }
                let now = UInt64(epoch * 30 + round * 5) * 1_000_000_000
                let began = Self.cpuSeconds
                for (index, point) in points.enumerated() { crowd.note(Int64(index + 1), at: point, now: now) }
                noting += Self.cpuSeconds - began
            }
            let began = Self.cpuSeconds
            let reports = crowd.reports(now: UInt64(epoch * 30 + 29) * 1_000_000_000) { _ in true }
            let changed = snapshot.end(Int64(epoch), with: HeatmapCrowd.distinct([reports]))
            let update = HeatmapUpdate(
                serverTime: .now, zoom: HeatmapRules.zoom, peopleMin: HeatmapRules.peopleMin, cells: snapshot.cells)
            if changed {
                bytes += try WireJSON.encode(update).count
                changes += 1
            }
            ending.append(Self.cpuSeconds - began)
        }
        ending.sort()
        report.add("a report, CPU", noting / Double(Self.people * Self.reportsPerEpoch * Self.epochs) * 1e9, "ns")
        report.add("the end of an epoch with \(Self.people) people, CPU, median", ending[ending.count / 2] * 1e3, "ms")
        report.add("  the longest", (ending.last ?? 0) * 1e3, "ms")
        report.add("cells that show something at the end", Double(snapshot.cells.count), "")
        report.add("epochs with a changed heatmap", Double(changes) / Double(Self.epochs) * 100, "%")
        report.add("a push", Double(bytes) / Double(max(1, changes)), "B")
    }

    /// Measures the accuracy of the published counts, for the people of the sample campus on a morning from 8:30 to
    /// 10:00.
    private func use(_ report: inout BenchReport) throws {
        let day = try CampusDay(SampleCampus.document, people: Self.peopleOfMorning, seed: Self.seed)
        var snapshot = HeatmapSnapshot(secret: HeatmapPublishing.Publisher.dice(Self.seed))
        var (there, seen, shown, error) = (0, 0, 0, 0.0)
        for epoch in Self.morning {
            let people = (0..<day.count).map { index in
                HeatmapPerson(
                    account: Int64(index + 1),
                    place: HeatmapPlace(
                        containing: day.position(of: index, at: Double(epoch * HeatmapRules.epochSeconds)).point))
            }
            _ = snapshot.end(epoch, with: people)
            // Skip the warm-up, before which nobody was counted.
            guard epoch >= Self.morning.lowerBound + Self.warmUpEpochs else { continue }
            var counts: [HeatmapPlace: Int] = [:]
            for person in people { counts[person.place, default: 0] += 1 }
            let cells = Dictionary(
                uniqueKeysWithValues: snapshot.cells.map { (HeatmapPlace(x: $0.x, y: $0.y), $0.people) })
            for (place, count) in counts where count >= HeatmapRules.peopleMin {
                there += count
                guard let people = cells[place] else { continue }
                seen += count
                shown += 1
                error += abs(Double(people - count)) / Double(count)
            }
        }
        let what = "a morning of \(Self.peopleOfMorning)"
        report.add(
            "\(what): people in cells with five or more whose cell shows something",
            Double(seen) / Double(max(1, there)) * 100, "%")
        report.add("\(what): what it shows is off by, mean", error / Double(max(1, shown)) * 100, "%")
    }

    private static let peopleOfMorning = 3_000
    private static let morning: Range<Int64> = 1_020..<1_200
    private static let warmUpEpochs: Int64 = 10

    /// CPU seconds of this thread.
    private static var cpuSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
