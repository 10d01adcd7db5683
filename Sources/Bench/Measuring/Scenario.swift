import Foundation

/// How a scenario is run.
public struct BenchOptions: Sendable {
    /// Connections of `echo`, subscribers of `fanout` and `burst`, connections of `idle` and `connect`, clients of
    /// `restart`, `spectators`, runners of `map`; nil for the scenario's own number.
    public var connections: Int?
    /// Payload of one message.
    public var messageBytes = 100
    /// Of each stretch; server and floor take turns.
    public var seconds = 3.0
    /// Stretches of each.
    public var rounds = 5
    /// Over TLS 1.3.
    public var tls = false
    /// With permessage-deflate.
    public var deflate = false
    /// The server's loops.
    public var loops = 1
    /// `idle`: how long CPU is watched.
    public var idleSeconds = 60.0
    /// `burst`: messages each publisher sends at once.
    public var burst = 20

    /// `matching`: people who look for a buddy.
    public var profiles = 10_000

    /// `spectators`: runners that send a fix a second each.
    public var runners = 1_000
    /// `spectators`: of a hundred, so many read slowly.
    public var slowPercent = 0.0
    /// The fixes of all runners of `spectators` come within so many milliseconds of each second. Receivers of satellites measure at
    /// full seconds: of the 23,450 fixes of real runs that we have, 90 % are within 20 ms of one. The way through phones and networks
    /// spreads them.
    public var arrivalMilliseconds = arrivalMillisecondsDefault
    /// Those of ``arrivalMilliseconds``.
    public static let arrivalMillisecondsDefault = 300

    /// `chat`: messages a second, at a steady rate.
    public var messagesPerSecond = 1_000.0

    /// `privacy`: an OpenStreetMap extract whose streets are walked; nil for a town of our own making.
    public var map: URL?
    /// `privacy`: people who commute.
    public var homes = 200
    /// `privacy`: how often each of them does.
    public var commutes = 20

    /// The defaults.
    public init() {}
}

/// What came out of a scenario: figures by name, in the order to show them.
public struct BenchReport: Codable, Sendable {
    /// One figure.
    public struct Figure: Codable, Sendable {
        /// What it is.
        public let name: String
        /// How much.
        public let value: Double
        /// Of what.
        public let unit: String
    }
    /// Such as `echo`.
    public let scenario: String
    /// How it was run.
    public let conditions: String
    /// What was seen.
    public internal(set) var figures: [Figure] = []
    /// What to keep in mind, such as that the client was the bottleneck.
    public internal(set) var remarks: [String] = []
    /// What should not have been: the run is to end with an error. Nil when all is well.
    public internal(set) var failure: String?

    /// What is no finite number becomes a remark: JSON has no way to write it.
    mutating func add(_ name: String, _ value: Double, _ unit: String) {
        guard value.isFinite else { return remarks.append("\(name): never") }
        figures.append(Figure(name: name, value: value, unit: unit))
    }

    /// Lines for a person.
    public var table: String {
        let width = figures.map(\.name.count).max() ?? 0
        let rows = figures.map { figure in
            "  " + figure.name.padding(toLength: width, withPad: " ", startingAt: 0) + "  "
                + Self.format(figure.value) + " " + figure.unit
        }
        return
            (["\(scenario)  (\(conditions))"] + rows + remarks.map { "  note: " + $0 }
            + (failure.map { ["  FAILED: " + $0] } ?? [])).joined(separator: "\n")
    }

    static func format(_ value: Double) -> String {
        let digits = value == 0 || abs(value) >= 1_000 ? 0 : abs(value) >= 10 ? 1 : 3
        let text = String(format: "%.\(digits)f", value)
        guard digits == 0 else { return String(repeating: " ", count: max(0, 12 - text.count)) + text }
        var grouped = ""
        for (index, digit) in text.reversed().enumerated() {
            if index > 0, index % 3 == 0, digit != "-" { grouped.append(",") }
            grouped.append(digit)
        }
        return String(repeating: " ", count: max(0, 12 - grouped.count)) + String(grouped.reversed())
    }
}

/// The scenarios of `campanile bench`.
public enum Scenario: String, CaseIterable, Sendable {
    /// Every connection sends a message and waits for it to come back.
    case echo
    /// One message to a thousand subscribers, then the next.
    case fanout
    /// Fifty publishers, five hundred subscribers, many messages at once.
    case burst
    /// Thousands of signed-in connections that do nothing.
    case idle
    /// Connecting, again and again.
    case connect
    /// Thousands of clients, and a server that is restarted under them.
    case restart
    /// Runners, and spectators whose maps move.
    case spectators
    /// Buddies who write to each other, and pgbench beside them.
    case chat
    /// The web app's map with a crowd on it, in a browser.
    case map
    /// Suggestions among thousands of profiles.
    case matching
    /// What attacks on the heatmap find out, and what it costs.
    case heatmap
    /// Attacks on private zones and on coarse positions.
    case privacy

    /// Whether it can be run here: `map` needs a Chromium.
    public var isPossible: Bool { self != .map || MapBrowser.program != nil }

    /// Runs it; blocks for as long as it takes. Call it off the loops.
    /// - Throws: ``BenchError`` saying what could not be had.
    public func run(_ options: BenchOptions) async throws -> BenchReport {
        switch self {
        case .echo: try EchoScenario(options).run()
        case .fanout: try FanOutScenario(options, publishers: 1, subscribers: 1_000, burst: 1).run("fanout")
        case .burst: try FanOutScenario(options, publishers: 50, subscribers: 500, burst: options.burst).run("burst")
        case .idle: try await IdleScenario(options).run()
        case .connect: try ConnectScenario(options).run()
        case .restart: try await RestartScenario(options).run()
        case .spectators: try await SpectatorScenario(options).run()
        case .chat: try await ChatScenario(options).run()
        case .map: try await MapScenario(options).run()
        case .matching: try await MatchingScenario(options).run()
        case .heatmap: try HeatmapScenario().run()
        case .privacy: try PrivacyScenario(options).run()
        }
    }
}

extension BenchOptions {
    /// Words for the report.
    func conditions(_ what: String) -> String {
        let transport = [tls ? "TLS 1.3" : "plain", deflate ? "deflate" : nil].compactMap { $0 }.joined(separator: ", ")
        return "\(what), \(messageBytes) B messages, \(transport), server with \(loops) loop\(loops == 1 ? "" : "s")"
    }
}

/// Server and floor by turns, so that what else the machine does meets both.
struct Comparison {
    var server = Measurement()
    var floor = Measurement()
    private(set) var ratios: [Double] = []

    mutating func add(server: Measurement, floor: Measurement) {
        self.server = self.server + server
        self.floor = self.floor + floor
        ratios.append(server.perCPUSecond / floor.perCPUSecond)
    }

    var medianRatio: Double { ratios.sorted()[ratios.count / 2] }

    func report(into report: inout BenchReport) {
        report.add("delivered per second", server.perSecond, "/s")
        report.add("delivered per server CPU-second", server.perCPUSecond, "/s")
        report.add("floor: delivered per CPU-second", floor.perCPUSecond, "/s")
        report.add("ratio to the floor (median of rounds)", medianRatio, "")
        report.add("ratio, lowest round", ratios.min() ?? 0, "")
        report.add("ratio, highest round", ratios.max() ?? 0, "")
        report.add("latency p50", server.latency.milliseconds(quantile: 0.5), "ms")
        report.add("latency p99", server.latency.milliseconds(quantile: 0.99), "ms")
        report.add("floor: latency p99", floor.latency.milliseconds(quantile: 0.99), "ms")
        report.add("server cores used", server.serverUse, "")
        report.add("client cores used", server.clientUse, "")
        if server.serverUse < 0.8, server.clientUse > 0.9 {
            report.remarks.append("the client was the bottleneck: only the figures per CPU-second count")
        }
    }
}
