import Foundation
import Wire

/// Result of a replay, as a table for people and as JSON for scripts.
struct ReplayReport: Sendable, Codable {
    /// Result of one file.
    struct Row: Sendable, Codable {
        let file: String
        let session: Int64?
        let sent: Int
        let acknowledged: Int
        let refused: [String: Int]
        let notCounted: [String: Int]
        /// Sum of the distances between successive points of the file in metres.
        let plainDistance: Double
        /// Metres that the documented filter counts in the file.
        let filteredDistance: Double?
        /// Metres that the server counted.
        let storedDistance: Double?
        /// Difference of the stored distance to the plain distance.
        let differencePercent: Double?
        let failure: String?
    }

    /// Measurements of the spectator.
    struct Spectator: Sendable, Codable {
        let latency: LatencySummary?
        let seen: Int
        let movingAtOnce: Int
        /// Number of subscribed zones.
        let zones: Int
    }

    let runners: [Row]
    let seconds: Double
    /// Number of requests that failed and were sent again.
    let retries: Int
    /// Number of connections in addition to the first one of each runner.
    let reconnections: Int
    /// Longest time from a point's due time to its acknowledgement, including outages.
    let longestDelaySeconds: Double
    let acknowledgement: LatencySummary?
    let spectator: Spectator?

    init(outcomes: [ReplayOutcome], tally: ReplayTally, spectator: ReplaySpectator?, took: Duration) {
        let state = tally.snapshot
        runners = outcomes.map { Row($0, state.runners[$0.index]) }
        seconds = Double(took.components.seconds) + Double(took.components.attoseconds) / 1e18
        retries = state.retries
        reconnections = state.reconnections
        longestDelaySeconds = Double(state.longestDelay) / 1e9
        acknowledgement = LatencySummary(nanoseconds: state.latencies)
        self.spectator = spectator.map {
            Spectator(
                latency: LatencySummary(nanoseconds: $0.latencies), seen: $0.seenCount, movingAtOnce: $0.movingMax,
                zones: $0.zoneCount)
        }
    }

    /// Reason why runners did not finish; nil if all did.
    var unfinishedReason: String? {
        let unfinished = runners.filter { $0.failure != nil }
        guard let first = unfinished.first else { return nil }
        return "\(unfinished.count) of \(runners.count) not finished; \(first.file): \(first.failure ?? "")"
    }

    /// Reason why the server did not store all sent points; nil if it did.
    var refusedReason: String? {
        let refused = runners.flatMap(\.refused).reduce(into: [:]) { $0[$1.key, default: 0] += $1.value }
        let count = refused.values.reduce(0, +)
        guard count > 0 else { return nil }
        return "the server refused \(count) of \(runners.reduce(count) { $0 + $1.acknowledged }) points: "
            + ReplayReport.Row.counts(refused, zero: "")
    }

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    func table() -> String {
        let head = [
            "file", "session", "sent", "acknowledged", "refused", "not counted", "GPX m", "filtered m", "stored m",
            "of GPX",
        ]
        let rows = [head] + runners.map(\.cells)
        let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        var lines = rows.map { row in
            row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                // Names are left-aligned, numbers right-aligned.
                return column == 0 || column == 5 ? cell + space : space + cell
            }.joined(separator: "  ")
        }
        let acknowledged = runners.reduce(0) { $0 + $1.acknowledged }
        lines.append("")
        lines.append(
            "\(runners.count) runners, \(acknowledged) points acknowledged in \(fixed(seconds, 1)) s, \(retries) retries, "
                + "\(reconnections) reconnections; longest wait of a point: \(fixed(longestDelaySeconds, 2)) s")
        if let acknowledgement { lines.append("send to acknowledgement: \(acknowledgement.textWithMax)") }
        if let spectator {
            lines.append(
                "send to the spectator's screen: "
                    + (spectator.latency.map { "\($0.textWithMax) (\($0.count) positions)" } ?? "no position seen")
                    + "; \(spectator.seen) runners seen, \(spectator.movingAtOnce) moving at once, in \(spectator.zones) zones"
            )
        }
        return lines.joined(separator: "\n")
    }
}

extension ReplayReport.Row {
    init(_ outcome: ReplayOutcome, _ runner: ReplayTally.Runner) {
        file = outcome.plan.file
        session = outcome.session?.id
        sent = outcome.sent
        acknowledged = runner.acknowledged
        refused = runner.refused
        notCounted = outcome.notCounted
        plainDistance = outcome.plan.plainMetres
        filteredDistance = outcome.session.map { outcome.plan.filteredMetres($0.activity) }
        storedDistance = outcome.session?.distance
        differencePercent = outcome.session.flatMap {
            outcome.plan.plainMetres > 0 ? ($0.distance / outcome.plan.plainMetres - 1) * 100 : nil
        }
        failure = outcome.failure
    }

    fileprivate var cells: [String] {
        [
            file, session.map(String.init) ?? "-", "\(sent)", "\(acknowledged)", Self.counts(refused, zero: "0"),
            Self.counts(notCounted, zero: "0"), fixed(plainDistance, 1),
            filteredDistance.map { fixed($0, 1) } ?? "-", storedDistance.map { fixed($0, 1) } ?? "-",
            differencePercent.map { ($0 < 0 ? "" : "+") + fixed($0, 2) + " %" } ?? "-",
        ]
    }

    static func counts(_ counts: [String: Int], zero: String) -> String {
        let text = counts.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return text.isEmpty ? zero : text.joined(separator: ", ")
    }
}
