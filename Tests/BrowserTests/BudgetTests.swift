import Foundation
import TestSupport
import Testing

/// What a visit to the live map costs: bytes, waiting, memory and the processor. `deploy/budgets` runs these tests alone.
///
/// `deploy/visits.py` measures in browsers of its own, with all of Chromium's compilers.
@Suite("The budgets of the web app", .serialized, .enabled(if: Browser.isAvailable, Browser.missing))
struct BudgetTests {
    private static let firstVisitBytesMax = 500_000.0
    private static let laterVisitBytesMax = 20_000.0
    /// Behind EDGE: 240 kbit/s, 840 ms there and back.
    private static let outlineMillisecondsMax = 3_000.0
    private static let mapMillisecondsMax = 5_000.0
    private static let runnerMillisecondsMax = 8_000.0
    private static let heapBytesMax = 40_000_000.0
    private static let heapSeconds = 600.0
    private static let taskMillisecondsMax = 200.0
    private static let silenceSecondsMax = 10.0
    /// Another process may take the processor from a measurement, but hardly from five.
    private static let visitsMax = 5
    private static let runners = 12

    typealias Figures = [String: Double]

    /// A server with runners that move for as long as the tests last.
    private static let server = Task { () async throws -> TestServer in
        let server = try await WebRoot.start()
        var runs: [TestRun] = []
        for number in 0..<runners {
            runs.append(try await TestRun(on: server, course: number, offset: Double(number) * 40))
            try await runs[number].run(5)
        }
        let moving = Task { [runs] in
            while !Task.isCancelled {
                for run in runs { try await run.run(1) }
                try await Task.sleep(for: .milliseconds(500))
            }
        }
        TestDirectory.beforeRemoval { moving.cancel() }
        return server
    }

    /// What waits for a network rather than for the processor is measured at the same time.
    private static let (bytes, heap, silence) = (begin("bytes"), begin("heap"), begin("silence"))

    private static func begin(_ figure: String) -> Task<Figures, any Error> { Task { try await measure(figure) } }

    private static func measure(_ figure: String) async throws -> Figures {
        let output = try TestDirectory.make("visits") + "/figures"
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
        defer { try? file.close() }
        let script = TestServer.root.appendingPathComponent("deploy/visits.py").path
        let program = try await Spawner.shared.start(
            ["/usr/bin/python3", "-B", script, figure, "http://localhost:\(try await server.value.port)"],
            output: file.fileDescriptor, errors: STDERR_FILENO)
        TestDirectory.beforeRemoval { program.signal(SIGTERM) }
        _ = try await eventually("\(figure) is measured") { program.isRunning ? nil : true }
        return try JSONDecoder().decode(Figures.self, from: Data(contentsOf: URL(fileURLWithPath: output)))
    }

    /// Measures again while a figure is above its budget.
    /// - Returns: The lowest value of each figure.
    private static func lowest(
        _ first: Task<Figures, any Error>, _ figure: String, within budgets: Figures
    ) async throws -> Figures {
        var lowest = try await first.value
        var visits = 1
        while visits < visitsMax, budgets.contains(where: { lowest[$0.key, default: .infinity] >= $0.value }) {
            lowest.merge(try await measure(figure), uniquingKeysWith: min)
            visits += 1
        }
        return lowest
    }

    private static func expect(
        _ name: String, _ value: Double?, below max: Double, unit: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let shown = value.map { String(format: $0 < 100 ? "%.1f" : "%.0f", $0) } ?? "never"
        print("budget: \(name) \(shown) \(unit) of \(Int(max))")
        #expect(value ?? .infinity < max, "\(name)", sourceLocation: sourceLocation)
    }

    @Test("A first visit with all copies of the service worker takes less than 500 kB, a later one less than 20 kB")
    func bytes() async throws {
        let figures = try await Self.bytes.value
        Self.expect("first visit", figures["first"], below: Self.firstVisitBytesMax, unit: "bytes")
        Self.expect("later visit", figures["later"], below: Self.laterVisitBytesMax, unit: "bytes")
    }

    /// `deploy/test` runs it before all others: what waits for a slow line is later when other tests need the processor.
    @Test("On EDGE the outline is there after 3 s, the map after 5 s, the first runner after 8 s")
    func edge() async throws {
        let budgets = [
            "shell": Self.outlineMillisecondsMax, "map": Self.mapMillisecondsMax, "runner": Self.runnerMillisecondsMax,
        ]
        let figures = try await Self.lowest(Self.begin("edge"), "edge", within: budgets)
        Self.expect("outline", figures["shell"], below: Self.outlineMillisecondsMax, unit: "ms")
        Self.expect("map", figures["map"], below: Self.mapMillisecondsMax, unit: "ms")
        Self.expect("first runner", figures["runner"], below: Self.runnerMillisecondsMax, unit: "ms")
    }

    @Test("The heap of JavaScript stays below 40 MB for ten minutes on the map, as far as its growth says")
    func heap() async throws {
        let figures = try await Self.heap.value
        let (bytes, growth) = (try #require(figures["bytes"]), try #require(figures["growth"]))
        let (interval, seconds) = (try #require(figures["interval"]), try #require(figures["seconds"]))
        let expected = bytes + max(0, growth) / interval * (Self.heapSeconds - seconds)
        print("budget: heap after \(seconds) s \(Int(bytes)) bytes, growth \(Int(growth)) in \(interval) s")
        Self.expect("heap after ten minutes", expected, below: Self.heapBytesMax, unit: "bytes")
    }

    @Test("A connection on which nothing comes or goes any more is known to be lost within 10 s")
    func silence() async throws {
        let figures = try await Self.lowest(Self.silence, "silence", within: ["seconds": Self.silenceSecondsMax])
        Self.expect("silent connection noticed", figures["seconds"], below: Self.silenceSecondsMax, unit: "s")
    }

    /// The last, alone: it is the one that the processor decides.
    @Test("No task takes 200 ms on a processor that is slowed four times")
    func task() async throws {
        for measured in [Self.bytes, Self.heap, Self.silence] { _ = await measured.result }
        let figures = try await Self.lowest(
            Self.begin("task"), "task", within: ["milliseconds": Self.taskMillisecondsMax])
        Self.expect("longest task", figures["milliseconds"], below: Self.taskMillisecondsMax, unit: "ms")
    }
}
