import Foundation
import NameSearch

/// Options of ``SearchScenario``.
public struct SearchOptions: Sendable {
    /// Number of destinations, each with a name or a code.
    public var destinations = 100_000
    /// Number of names that are typed, key by key.
    public var typed = 200
    /// Maximum CPU time of 99 % of the key presses, in milliseconds.
    public var millisecondsMax = 20.0

    public init() {}
}

/// Measures the search of names on one thread and without a server: names of a made-up campus are typed key by key, half of
/// them with an error, and each key press searches.
public struct SearchScenario {
    private static let seed: UInt64 = 25
    /// Destinations in a building.
    private static let roomsPerBuilding = 50
    private static let syllables = [
        "ka", "no", "ri", "ver", "ton", "hal", "mor", "sen", "bri", "dge", "lin", "col", "ber", "wes", "nor", "th",
        "ham",
        "sta", "dt", "uni", "lab", "chem", "phy", "art", "mus", "the", "li", "bra", "ry", "cen", "ter", "gar", "den",
        "bau", "haus", "fak", "ins", "ti", "tut", "o", "a",
    ]
    private static let kinds = ["Hall", "Library", "Center", "Building", "Institute", "Laboratory", "Café", "House"]

    private let options: SearchOptions
    private var generator = SplitMix(Self.seed)

    public init(_ options: SearchOptions) { self.options = options }

    private mutating func number(below limit: Int) -> Int {
        min(limit - 1, Int(generator.uniform() * Double(limit)))
    }

    private mutating func word() -> String {
        (0..<2 + number(below: 3)).map { _ in Self.syllables[number(below: Self.syllables.count)] }.joined()
    }

    private mutating func documents() -> [NameIndex.Document] {
        let buildings = (0..<max(1, options.destinations / Self.roomsPerBuilding)).map { index in
            (
                name: "\(word().capitalized) \(word().capitalized) \(Self.kinds[number(below: Self.kinds.count)])",
                code: "\(1_000 + index)"
            )
        }
        var documents = buildings.map {
            NameIndex.Document(names: [$0.name], codes: [$0.code], classes: ["university"], weight: 0.02)
        }
        while documents.count < options.destinations {
            let building = buildings[number(below: buildings.count)]
            let name = number(below: 4) == 0 ? ["\(word().capitalized) \(word())"] : []
            documents.append(
                NameIndex.Document(
                    names: name, codes: ["\(building.code).0\(number(below: 8)).\(100 + number(below: 900))"],
                    classes: ["room"], context: [building.name]))
        }
        return documents
    }

    public mutating func run() -> BenchReport {
        var report = BenchReport(
            scenario: "search",
            conditions: "\(options.typed) names typed among \(options.destinations) destinations, one thread")
        let documents = documents()
        FoldedText.loadRules()
        let start = LoadLoop.now
        let index = NameIndex(documents)
        report.add("index built in", Double(LoadLoop.now - start) / 1e9, "s")
        report.add("names and codes", Double(index.nameCount), "")
        report.add("index", Double(index.approximateBytes) / 1e6, "MB")
        var (durations, work) = (LatencyHistogram(), LatencyHistogram())
        var (presses, found, whole) = (0, 0, 0)
        for _ in 0..<options.typed {
            let wanted = number(below: documents.count)
            let text = typed(documents[wanted])
            for end in 1...text.count {
                let (began, worked) = (LoadLoop.now, Self.threadSeconds)
                let matches = index.find(String(text[..<end]), limit: 10)
                work.record(nanoseconds: UInt64(max(0, Self.threadSeconds - worked) * 1e9))
                durations.record(nanoseconds: LoadLoop.now - began)
                presses += 1
                guard end == text.count else { continue }
                whole += 1
                found += matches.prefix(3).contains { $0.document == wanted } ? 1 : 0
            }
        }
        report.add("key presses", Double(presses), "")
        report.add("p50", durations.milliseconds(quantile: 0.5), "ms")
        report.add("p99", durations.milliseconds(quantile: 0.99), "ms")
        report.add("p50 of the CPU time", work.milliseconds(quantile: 0.5), "ms")
        report.add("p99 of the CPU time", work.milliseconds(quantile: 0.99), "ms")
        report.add("typed names among the first three", Double(found) / Double(max(1, whole)) * 100, "%")
        // Other work on the machine delays searches, but costs them no CPU time.
        if work.milliseconds(quantile: 0.99) > options.millisecondsMax {
            report.failure = "1 % of the key presses took more than \(options.millisecondsMax) ms of CPU time"
        }
        return report
    }

    /// The name or the code, a third with the name of the building, a half with a letter missing.
    private mutating func typed(_ document: NameIndex.Document) -> [Character] {
        var text = Array(document.names.first ?? document.codes.first ?? "x")
        if number(below: 3) == 0, let building = document.context.first { text += " " + building }
        if text.count > 4, !document.names.isEmpty, number(below: 2) == 0 {
            text.remove(at: 1 + number(below: text.count - 1))
        }
        return text
    }

    private static var threadSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
