import Foundation

/// Options of the scenarios.
public struct BenchOptions: Sendable {
    /// Number of connections of `echo`, `idle` and `connect`, subscribers of `fanout` and `burst`, clients of
    /// `restart`, spectators of `spectators`, runners of `map`; nil for the scenario's default.
    public var connections: Int?
    /// Payload bytes of one message.
    public var messageBytes = 100
    /// Duration of each round; server and baseline alternate.
    public var seconds = 3.0
    /// Number of rounds.
    public var rounds = 5
    /// Uses TLS 1.3.
    public var tls = false
    /// Uses permessage-deflate.
    public var deflate = false
    /// The server's event loops.
    public var loops = 1
    /// `idle`: duration of the CPU measurement.
    public var idleSeconds = 60.0
    /// `burst`: messages that each publisher sends at once.
    public var burst = 20

    /// `matching`: people who look for a buddy.
    public var profiles = 10_000

    /// `spectators`: runners that each send one fix per second.
    public var runners = 1_000
    /// `spectators`: percentage of spectators that read slowly.
    public var slowPercent = 0.0
    /// `spectators`: the fixes of all runners arrive within this many milliseconds of each second. Satellite receivers
    /// measure at full seconds: of 23,450 fixes of real runs, 90 % are within 20 ms of a full second. Phones and
    /// networks spread them.
    public var arrivalMilliseconds = arrivalMillisecondsDefault
    /// Default of ``arrivalMilliseconds``.
    public static let arrivalMillisecondsDefault = 300

    /// `chat`: messages per second, at a steady rate.
    public var messagesPerSecond = 1_000.0

    /// `privacy`: an OpenStreetMap extract with the streets; nil for a synthetic town.
    public var map: URL?
    /// `privacy`: people who commute.
    public var homes = 200
    /// `privacy`: commutes of each person.
    public var commutes = 20

    public init() {}
}

/// The results of a scenario: named figures in display order.
public struct BenchReport: Codable, Sendable {
    public struct Figure: Codable, Sendable {
        public let name: String
        public let value: Double
        public let unit: String
    }
    /// The scenario's name, such as `echo`.
    public let scenario: String
    /// The options of the run, as text.
    public let conditions: String
    public internal(set) var figures: [Figure] = []
    /// Remarks on the interpretation, such as that the client was the bottleneck.
    public internal(set) var remarks: [String] = []
    /// The reason why the run ends with an error; nil if it succeeded.
    public internal(set) var failure: String?

    /// Adds a figure. A number that is not finite becomes a remark, because JSON cannot represent it.
    mutating func add(_ name: String, _ value: Double, _ unit: String) {
        guard value.isFinite else { return remarks.append("\(name): never") }
        figures.append(Figure(name: name, value: value, unit: unit))
    }

    /// The report as text lines.
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

/// The scenarios of `campanile-bench`.
public enum Scenario: String, CaseIterable, Sendable {
    /// Every connection sends a message and waits for its echo.
    case echo
    /// One message to a thousand subscribers, then the next.
    case fanout
    /// Fifty publishers, five hundred subscribers, many messages at once.
    case burst
    /// Thousands of signed-in connections that do nothing.
    case idle
    /// Repeated connecting.
    case connect
    /// A restart of the server with thousands of connected clients.
    case restart
    /// Runners, and spectators with moving maps.
    case spectators
    /// Live groups beside runners and spectators.
    case together
    /// Buddies who write to each other, compared with pgbench.
    case chat
    /// The web app's map with a crowd, in a browser.
    case map
    /// Suggestions among thousands of profiles.
    case matching
    /// Attacks on the heatmap, and its cost.
    case heatmap
    /// Attacks on private zones and coarse positions.
    case privacy
    /// Thousands of live routes, and a lift that breaks.
    case lift

    /// Whether the scenario can run on this machine: `map` needs Chromium.
    public var isPossible: Bool { self != .map || MapBrowser.program != nil }

    /// Runs the scenario and blocks until it ends. Do not call it on an event loop.
    /// - Throws: ``BenchError`` if the environment does not permit the run.
    public func run(_ options: BenchOptions) async throws -> BenchReport {
        switch self {
        case .echo: try EchoScenario(options).run()
        case .fanout: try FanOutScenario(options, publishers: 1, subscribers: 1_000, burst: 1).run("fanout")
        case .burst: try FanOutScenario(options, publishers: 50, subscribers: 500, burst: options.burst).run("burst")
        case .idle: try await IdleScenario(options).run()
        case .connect: try ConnectScenario(options).run()
        case .restart: try await RestartScenario(options).run()
        case .spectators: try await SpectatorScenario(options).run()
        case .together: try await TogetherScenario(options).run()
        case .chat: try await ChatScenario(options).run()
        case .map: try await MapScenario(options).run()
        case .matching: try await MatchingScenario(options).run()
        case .heatmap: try HeatmapScenario().run()
        case .privacy: try PrivacyScenario(options).run()
        case .lift: try await LiftScenario(options).run()
        }
    }
}

extension BenchOptions {
    /// The options as text for the report.
    func conditions(_ what: String) -> String {
        let transport = [tls ? "TLS 1.3" : "plain", deflate ? "deflate" : nil].compactMap { $0 }.joined(separator: ", ")
        return "\(what), \(messageBytes) B messages, \(transport), server with \(loops) loop\(loops == 1 ? "" : "s")"
    }
}

/// Alternating rounds of server and baseline, so that other load on the machine affects both.
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
