/// Text format of the metrics.
public enum ExpositionFormat: Sendable {
    /// Prometheus text format 0.0.4.
    case prometheus
    /// OpenMetrics 1.0.
    case openMetrics

    /// Media type of the format.
    public var contentType: String {
        switch self {
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }
}

extension MetricRegistry {
    /// The whole registry as text: for each family its help, its type, and its series. O(series).
    public func exposition(_ format: ExpositionFormat = .prometheus) -> [UInt8] {
        var text = ""
        for family in snapshot() {
            // OpenMetrics names a counter's family without the suffix of its samples.
            let isBare = format == .openMetrics && family.kind == .counter
            let name = isBare ? String(family.name.dropLast("_total".count)) : family.name
            let help = Self.escaped(family.help, quotes: format == .openMetrics)
            // OpenMetrics has TYPE before HELP by convention only; either order is valid in both formats.
            text += "# HELP \(name) \(help)\n# TYPE \(name) \(family.kind.rawValue)\n"
            for series in family.series { Self.write(series, of: family.name, to: &text) }
        }
        if format == .openMetrics { text += "# EOF\n" }
        return Array(text.utf8)
    }

    private static func write(_ series: Series, of name: String, to text: inout String) {
        switch series.source {
        case .number(let read): text += "\(name)\(braces(series.labels)) \(number(read()))\n"
        case .histogram(let histogram):
            let (cumulative, sum) = histogram.snapshot()
            let bounds = histogram.buckets.bounds.map { number(Double($0) * histogram.buckets.scale) } + ["+Inf"]
            for (bound, count) in zip(bounds, cumulative) {
                text += "\(name)_bucket\(braces(series.labels + [("le", bound)])) \(count)\n"
            }
            text += "\(name)_sum\(braces(series.labels)) \(number(sum))\n"
            text += "\(name)_count\(braces(series.labels)) \(cumulative.last ?? 0)\n"
        }
    }

    private static func braces(_ labels: [(String, String)]) -> String {
        guard !labels.isEmpty else { return "" }
        return "{" + labels.map { "\($0.0)=\"\(escaped($0.1, quotes: true))\"" }.joined(separator: ",") + "}"
    }

    /// Escapes backslash and line feed, and in quoted text the quotation mark.
    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if value == value.rounded(), abs(value) < 1e15 { return "\(Int64(value))" }
        return "\(value)"
    }
}
