import Campus
import EventLoop
import Foundation
import TestSupport
import Testing

@testable import Server

/// `campanile replay` against a server.
@Suite("campanile replay")
struct ReplayCommandTests {
    /// - Parameter minutes: The time of each point, from the first.
    private static func recording(minutes: [Double]) throws -> String {
        let file = try TestDirectory.make("replay") + "/run.gpx"
        let points = minutes.enumerated().map { index, minute in
            let time = Date(timeIntervalSince1970: 1_700_000_000 + minute * 60).ISO8601Format()
            return #"<trkpt lat="50.0\#(index)" lon="8.0"><time>\#(time)</time></trkpt>"#
        }
        let text = #"<gpx version="1.1"><trk><trkseg>\#(points.joined())</trkseg></trk></gpx>"#
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        return file
    }

    private static let workers = WorkerPool(label: "replays", concurrentMax: 2, waitingMax: 8)

    private static func replay(
        _ file: String, to server: TestServer, _ options: [String]
    ) async throws -> ChildProcess.Finished {
        let program = TestServer.root.appendingPathComponent(".build/debug/campanile").path
        return try await workers.run {
            try ChildProcess.run(
                [program, "replay", "--server", server.url, "--speed", "1000"] + options + [file],
                environment: ["CAMPANILE_SIMULATION_KEY": TestServer.simulationKey, "HOME": "/nonexistent"],
                timeLimit: .seconds(120))
        }
    }

    @Test("A refused point is an error that says how many and why, and a wait is told as it is")
    func refused() async throws {
        let server = try await TestServer.start()
        let good = try await Self.replay(
            try Self.recording(minutes: [0, 1, 11]), to: server, ["--longest-wait", "0.4"])
        #expect(good.status == 0, "\(good.output)")
        #expect(good.output.contains("a wait of 0.6 s is cut to 0.4 s"), "\(good.output)")
        // One point is an hour before the first.
        let bad = try await Self.replay(try Self.recording(minutes: [0, 1, -60, 2]), to: server, [])
        #expect(bad.status == 65, "\(bad.output)")
        #expect(bad.output.contains("the server refused 1 of 4 points: 1 beforeStart"), "\(bad.output)")
        await server.stop()
    }

    @Test("With --spectate right after an import it waits until the server shows zones, and says how many it watched")
    func spectate() async throws {
        let server = try await TestServer.start()
        let running = try #require(await server.server)
        var empty = SampleCampus.document
        empty.zones = []
        _ = try await running.campusStore.store(empty, name: nil)
        try await server.server?.reloadCampus()
        let before = running.admissionStatistics.accepted
        async let replay = Self.replay(try Self.recording(minutes: [0, 1]), to: server, ["--spectate"])
        // It connects for each look: with the second one, the first was answered with no zones.
        _ = try await eventually("it has asked for zones") {
            running.admissionStatistics.accepted > before + 1 ? true : nil
        }
        _ = try await running.campusStore.store(SampleCampus.document, name: nil)
        try await running.reloadCampus()
        let ending = try await replay
        #expect(ending.status == 0, "\(ending.output)")
        #expect(ending.output.contains("in \(SampleCampus.document.zones.count) zones"), "\(ending.output)")
        await server.stop()
    }
}
