import Synchronization

/// Metrics of one process or server. From any thread.
///
/// All metrics are registered at the start with fixed labels, so that neither clients nor time can increase the number of series.
public final class MetricRegistry: Sendable {
    /// Series that may be registered. The limit catches a label with unbounded values.
    public static let seriesMax = 4_096

    /// Names and values of a series' labels, in order.
    public typealias Labels = KeyValuePairs<String, String>

    enum Kind: String {
        case counter, gauge, histogram
    }
    enum Source {
        case number(@Sendable () -> Double)
        case histogram(Histogram)
    }
    struct Series {
        let labels: [(String, String)]
        let source: Source
    }
    struct Family {
        let name: String
        let help: String
        let kind: Kind
        var series: [Series]
        /// Names and values of each series' labels, to find duplicates among thousands of series quickly.
        fileprivate var labels: Set<[String]>
    }

    private let families = Mutex<[Family]>([])

    public init() {}

    /// Registers a counter.
    /// - Parameters:
    ///   - name: `[a-zA-Z_:][a-zA-Z0-9_:]*`, ending in `_total`.
    ///   - help: One sentence.
    public func counter(_ name: String, _ help: String, _ labels: Labels = [:]) -> Counter {
        let counter = Counter()
        counterFunction(name, help, labels) { Double(counter.value) }
        return counter
    }

    /// Registers a counter whose value a closure returns.
    /// - Parameter read: Called at each scrape, on any thread.
    public func counterFunction(
        _ name: String, _ help: String, _ labels: Labels = [:], read: @escaping @Sendable () -> Double
    ) {
        precondition(name.hasSuffix("_total"), "a counter's name ends in _total")
        add(name, help, .counter, labels, .number(read))
    }

    public func gauge(_ name: String, _ help: String, _ labels: Labels = [:]) -> Gauge {
        let gauge = Gauge()
        gaugeFunction(name, help, labels) { Double(gauge.value) }
        return gauge
    }

    /// Registers a gauge whose value a closure returns.
    /// - Parameter read: Called at each scrape, on any thread.
    public func gaugeFunction(
        _ name: String, _ help: String, _ labels: Labels = [:], read: @escaping @Sendable () -> Double
    ) {
        add(name, help, .gauge, labels, .number(read))
    }

    public func histogram(_ name: String, _ help: String, _ labels: Labels = [:], buckets: Buckets) -> Histogram {
        let histogram = Histogram(buckets)
        add(name, help, .histogram, labels, .histogram(histogram))
        return histogram
    }

    private func add(_ name: String, _ help: String, _ kind: Kind, _ labels: Labels, _ source: Source) {
        precondition(
            Self.isName(name) && labels.allSatisfy { Self.isLabelName($0.key) }, "\(name) is not a valid metric name")
        let series = Series(labels: labels.map { ($0.key, $0.value) }, source: source)
        families.withLock { families in
            precondition(families.reduce(0) { $0 + $1.series.count } < Self.seriesMax, "too many series")
            let labels = series.labels.flatMap { [$0.0, $0.1] }
            guard let index = families.firstIndex(where: { $0.name == name }) else {
                let family = Family(name: name, help: help, kind: kind, series: [series], labels: [labels])
                return families.append(family)
            }
            let isNew = families[index].labels.insert(labels).inserted
            precondition(families[index].kind == kind && isNew, "\(name) is registered already")
            families[index].series.append(series)
        }
    }

    func snapshot() -> [Family] { families.withLock { $0 } }

    private static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(48...57).contains(first) else { return false }
        return name.utf8.allSatisfy { isWordCharacter($0) || $0 == UInt8(ascii: ":") }
    }

    private static func isLabelName(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(48...57).contains(first), !name.hasPrefix("__"), name != "le" else {
            return false
        }
        return name.utf8.allSatisfy(isWordCharacter)
    }

    private static func isWordCharacter(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: "_")
    }
}
