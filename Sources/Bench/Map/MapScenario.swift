import CampanileClient
import Campus
import Foundation

/// Measures the web app's map with a crowd in a headless Chromium of a phone's size: the smoothness of panning, and the
/// growth of memory.
///
/// The map shows the middle of the campus at a zoom where the server sends individual runners. For the whole campus on
/// a phone it would send aggregated counts, which cost the page nothing.
///
/// There is no baseline and no GPU. The browser draws with the same processor that the server and the runners use, so
/// the figures are lower than on a phone with an equally fast processor.
struct MapScenario {
    private static let serverLoops = 2
    private static let clientLoops = 1
    private static let runners = 1_500
    /// Maximum time until the campus, the page and all runners are shown.
    private static let showSecondsMax = 120.0
    /// Wait before the first round, until one-time loading is done and the GPS filter has detected the runners' motion.
    private static let settleSeconds = 15.0
    /// Wait until the map has come to rest at the campus's bounds.
    private static let fitSeconds = 1.0
    /// Maximum cores used by other programs, including PostgreSQL.
    private static let restUseMax = 0.4
    /// Minimum share of runners shown; some are missing while they cross cell borders.
    private static let shownShareMin = 0.98
    /// Share of the sample campus's width and height: about 480 × 340 m, which a phone shows at zoom 16.
    private static let campusShare = 1.0 / 3
    /// Start of the drag: on the map, above the list.
    private static let finger = (x: 206, y: 270)
    private static let dragPixels = (x: 120, y: 60)
    private static let dragPixelsPerSecond = 400

    private let options: BenchOptions
    private let runners: Int

    init(_ options: BenchOptions) {
        var options = options
        options.loops = max(Self.serverLoops, options.loops)
        self.options = options
        runners = options.connections ?? Self.runners
    }

    func run() async throws -> BenchReport {
        guard MapBrowser.program != nil else {
            throw BenchError(description: "there is no Chromium here: apt-get install chromium")
        }
        let server = try MeasuredServer(options)
        defer { server.stop() }
        // Started before thousands of descriptors exist that it must not inherit.
        let browser = try MapBrowser(directory: server.directory + "/browser")
        defer { browser.stop() }
        let campus = try Self.campus()
        try await AttackRun.makeCampus(campus, dataDirectory: server.directory + "/data")
        try await IdleScenario.makeAccounts(runners, dataDirectory: server.directory + "/data")
        let crowd = MapCrowd(
            address: try ServerAddress(url: "http://127.0.0.1:\(server.port)"),
            loops: try ClientLoops(count: Self.clientLoops), count: runners, box: campus.bounds)
        try await crowd.start()
        try await crowd.waitForCampus(seconds: Self.showSecondsMax)
        let running = Task { await crowd.run() }
        let measured: Result<BenchReport, any Error> = await Self.blocking {
            Result { try measure(server, browser) }
        }
        running.cancel()
        await running.value
        await crowd.close()
        return try measured.get()
    }

    /// The sample campus with bounds reduced to its middle.
    private static func campus() throws -> CampusDocument {
        var campus = SampleCampus.document
        let (box, margin) = (campus.bounds, (1 - campusShare) / 2)
        let (height, width) = (box.north - box.south, box.east - box.west)
        campus.bounds = try GeoBox(
            south: box.south + height * margin, west: box.west + width * margin,
            north: box.north - height * margin, east: box.east - width * margin)
        return campus
    }

    /// Runs a blocking `body` on a Dispatch thread, because the crowd's tasks need the cooperative pool.
    private static func blocking<T: Sendable>(_ body: @escaping () -> T) async -> T {
        // Safe, because the caller waits and nothing else uses the captured state meanwhile.
        nonisolated(unsafe) let body = body
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: body()) }
        }
    }

    // MARK: Page

    private func measure(_ server: MeasuredServer, _ browser: MapBrowser) throws -> BenchReport {
        try browser.prepare(Self.collector)
        let page = "http://localhost:\(server.port)/map"
        try browser.go(to: page)
        // On a first visit the page may fit the map to the zones before it knows the campus's bounds; it stores them
        // for the next visit.
        try browser.wait(
            for: "the campus", seconds: Self.showSecondsMax,
            "JSON.parse(localStorage.getItem('campanile.campus')).bounds")
        try browser.go(to: page)
        try browser.wait(for: "everyone", seconds: Self.showSecondsMax, "\(Self.shown) >= \(shownMin)")
        usleep(UInt32(Self.settleSeconds * 1e6))
        try saveScreenshot(browser)

        var seen = Stretch()
        var heaps = [try browser.heapBytes()]
        let before = try browser.cost()
        let (wall, machineCPU) = (LoadLoop.now, Self.machineCPUSeconds)
        let (serverCPU, clientCPU) = (server.process.cpuSeconds, LoadLoop.cpuSeconds)
        for _ in 0..<options.rounds {
            seen.add(try pan(browser))
            heaps.append(try browser.heapBytes())
        }
        let seconds = Double(LoadLoop.now - wall) / 1e9
        let after = try browser.cost()

        var report = BenchReport(scenario: "map", conditions: conditions)
        addFigures(seen, heaps, into: &report)
        report.add("page's process, private memory at the start", Double(before.rendererBytes) / 1e6, "MB")
        report.add("page's process, private memory at the end", Double(after.rendererBytes) / 1e6, "MB")
        let browserUse = (after.cpuSeconds - before.cpuSeconds) / seconds
        let serverUse = (server.process.cpuSeconds - serverCPU) / seconds
        let runnersUse = (LoadLoop.cpuSeconds - clientCPU) / seconds
        let restUse = (Self.machineCPUSeconds - machineCPU) / seconds - browserUse - serverUse - runnersUse
        report.add("browser cores used", browserUse, "")
        report.add("server cores used", serverUse, "")
        report.add("runners' cores used", runnersUse, "")
        report.add("cores used by all else, PostgreSQL among it", max(0, restUse), "")
        if restUse > Self.restUseMax {
            report.remarks.append("the machine had other work: the page waited for the processor, and frames with it")
        }
        return report
    }

    /// Minimum number of runners on the map.
    private var shownMin: Double { (Double(runners) * Self.shownShareMin).rounded(.up) }

    /// CPU seconds of all programs on the machine so far; 0 if unknown.
    private static var machineCPUSeconds: Double {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8),
            let line = text.split(separator: "\n").first
        else { return 0 }
        // Columns in ticks, see proc(5): cpu, user, nice, system, idle, iowait, irq, softirq.
        let ticks = line.split(separator: " ").dropFirst().compactMap { Double(String($0)) }
        guard ticks.count >= 7 else { return 0 }
        return (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    private var conditions: String {
        let size = MapBrowser.size
        return "\(runners) runners at 1 Hz, \(size.width) x \(size.height) at \(MapBrowser.scale) device pixels, "
            + "\(options.rounds) x \(options.seconds) s of panning"
    }

    /// JavaScript for the number of runners on the map, including those in clusters.
    private static let shown =
        "(window.campanile.runners().length + window.campanile.clusters().reduce((sum, one) => sum + one.count, 0))"

    /// JavaScript that records frames and long tasks, and the differences of the app's own counters.
    private static let collector = """
        {
          const state = { frames: [], tasks: [], isOn: false };
          const frame = (now) => {
            if (!state.isOn) return;
            state.frames.push(now);
            requestAnimationFrame(frame);
          };
          new PerformanceObserver((list) => {
            if (state.isOn) for (const entry of list.getEntries()) state.tasks.push(entry.duration);
          }).observe({ entryTypes: ["longtask"] });
          const totals = () => ({ ...window.campanile.view, ...window.campanile.drawing });
          window.mapMeasurement = {
            begin() { Object.assign(state, { frames: [], tasks: [], isOn: true, before: totals() }); requestAnimationFrame(frame); },
            end() {
              state.isOn = false;
              const after = totals();
              const grown = (name) => after[name] - state.before[name];
              return { frames: state.frames, tasks: state.tasks, runners: window.campanile.runners().length, bytes: grown("bytes"),
                updates: grown("updates"), views: grown("views"), drawn: grown("frames"), milliseconds: grown("milliseconds"),
                messages: grown("messages") };
            },
          };
        }
        """

    private func pan(_ browser: MapBrowser) throws -> Stretch {
        // The map moves on a little after each drag; without this it would be elsewhere after some minutes.
        _ = try browser.evaluate("document.getElementById('fit').click()")
        usleep(UInt32(Self.fitSeconds * 1e6))
        _ = try browser.evaluate("mapMeasurement.begin()")
        let end = LoadLoop.now + UInt64(options.seconds * 1e9)
        var direction = 1
        while LoadLoop.now < end {
            try browser.drag(
                from: Self.finger, by: (Self.dragPixels.x * direction, Self.dragPixels.y * direction),
                speed: Self.dragPixelsPerSecond)
            direction = -direction
        }
        // Return to the start, so that each round shows the same.
        if direction < 0 {
            try browser.drag(
                from: Self.finger, by: (-Self.dragPixels.x, -Self.dragPixels.y), speed: Self.dragPixelsPerSecond)
        }
        return Stretch(try browser.evaluate("mapMeasurement.end()") as? [String: Any] ?? [:])
    }

    /// Saves a screenshot to the directory in `CAMPANILE_SCREENSHOTS`, if set.
    private func saveScreenshot(_ browser: MapBrowser) throws {
        guard let directory = ProcessInfo.processInfo.environment["CAMPANILE_SCREENSHOTS"], !directory.isEmpty else {
            return
        }
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try browser.screenshot()?.write(to: URL(fileURLWithPath: directory + "/bench-map.png"))
    }

    // MARK: Results

    private func addFigures(_ seen: Stretch, _ heaps: [Double], into report: inout BenchReport) {
        let rates = seen.framesPerSecond.sorted()
        let shown = seen.runners.min() ?? 0
        report.add("single runners on the canvas, fewest of rounds", shown, "")
        report.add("frames per second while panning, median second", rates.isEmpty ? 0 : rates[rates.count / 2], "/s")
        report.add("frames per second while panning, worst second", rates.first ?? 0, "/s")
        report.add("longest pause between frames", seen.pauses.max() ?? 0, "ms")
        report.add("tasks longer than 50 ms", Double(seen.tasks.count), "")
        report.add("longest of them", seen.tasks.max() ?? 0, "ms")
        report.add("canvas drawn", seen.drawn / seen.seconds, "/s")
        report.add("one drawing", seen.drawn > 0 ? seen.milliseconds / seen.drawn : 0, "ms")
        report.add("position updates", seen.updates / seen.seconds, "/s")
        report.add("bytes of a position update", seen.updates > 0 ? seen.bytes / seen.updates : 0, "B")
        report.add("viewports sent to the server", seen.views / seen.seconds, "/s")
        report.add("JavaScript heap at the start", (heaps.first ?? 0) / 1e6, "MB")
        report.add("JavaScript heap, highest", (heaps.max() ?? 0) / 1e6, "MB")
        report.add("JavaScript heap at the end", (heaps.last ?? 0) / 1e6, "MB")
        var wrong: [String] = []
        if seen.updates == 0 { wrong.append("no positions arrived") }
        if shown < shownMin {
            wrong.append("the map showed \(Int(shown)) of \(runners) runners individually, fewer than \(Int(shownMin))")
        }
        if !wrong.isEmpty { report.failure = wrong.joined(separator: "; ") }
    }
}

/// The results of one or more rounds of panning.
private struct Stretch {
    /// Frames in each whole second.
    private(set) var framesPerSecond: [Double] = []
    /// Time between two frames, in milliseconds.
    private(set) var pauses: [Double] = []
    /// Durations of long tasks, in milliseconds.
    private(set) var tasks: [Double] = []
    /// Individual runners on the canvas at the end of each round.
    private(set) var runners: [Double] = []
    private(set) var seconds = 0.0
    private(set) var bytes = 0.0
    private(set) var updates = 0.0
    private(set) var views = 0.0
    private(set) var drawn = 0.0
    private(set) var milliseconds = 0.0

    init() {}

    init(_ page: [String: Any]) {
        func number(_ name: String) -> Double { (page[name] as? NSNumber)?.doubleValue ?? 0 }
        func numbers(_ name: String) -> [Double] { (page[name] as? [NSNumber] ?? []).map(\.doubleValue) }
        let times = numbers("frames")
        tasks = numbers("tasks")
        runners = [number("runners")]
        (bytes, updates, views) = (number("bytes"), number("updates"), number("views"))
        (drawn, milliseconds) = (number("drawn"), number("milliseconds"))
        guard let first = times.first, let last = times.last else { return }
        seconds = (last - first) / 1_000
        pauses = zip(times, times.dropFirst()).map { $1 - $0 }
        for second in 0..<Int(seconds) {
            let from = first + Double(second) * 1_000
            framesPerSecond.append(Double(times.count { $0 >= from && $0 < from + 1_000 }))
        }
    }

    mutating func add(_ other: Stretch) {
        framesPerSecond += other.framesPerSecond
        pauses += other.pauses
        tasks += other.tasks
        runners += other.runners
        seconds += other.seconds
        bytes += other.bytes
        updates += other.updates
        views += other.views
        drawn += other.drawn
        milliseconds += other.milliseconds
    }
}
