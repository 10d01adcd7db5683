import CampanileClient
import Campus
import Foundation
import Wire

/// Moving runners for a map: real clients with a session each, which send one fix per second.
///
/// Each runs in its own circle, and the circles are spread evenly over a box. A map of the box shows all of them,
/// because the canvas extends beyond the map's edges. Some runners cross cell borders all the time.
final class MapCrowd: Sendable {
    /// Clients that connect simultaneously at the start.
    private static let connectingMax = 50
    private static let metresPerSecond = 3.0
    private static let radiusMetres = 20.0...60.0

    private let clients: [ResilientClient]
    private let uploaders: [TrackUploader]
    private let box: GeoBox

    /// - Parameters:
    ///   - count: Number of runners, with the accounts of ``IdleScenario/makeAccounts(_:dataDirectory:)``.
    ///   - box: Area of the circles' centres.
    init(address: ServerAddress, loops: ClientLoops, count: Int, box: GeoBox) {
        self.box = box
        clients = (0..<count).map {
            ResilientClient(address: address, token: IdleScenario.token($0), loops: loops)
        }
        uploaders = clients.map { client in
            TrackUploader(client: client, options: TrackUploader.Options(activity: .run, audience: .public))
        }
    }

    /// Connects all clients and starts the sessions.
    func start() async throws {
        for first in stride(from: 0, to: clients.count, by: Self.connectingMax) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in first..<min(first + Self.connectingMax, clients.count) {
                    group.addTask { [self] in
                        await clients[index].start()
                        try await uploaders[index].start()
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// Waits until the server has loaded the campus. It checks every few seconds whether another process has imported
    /// one.
    func waitForCampus(seconds: Double) async throws {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(seconds)
        while try await clients[0].call(CampusInfoGet.self, Empty()).bounds == nil {
            guard clock.now < deadline else { throw BenchError(description: "the server does not see the campus") }
            try await clock.sleep(for: .milliseconds(200))
        }
    }

    /// Lets all runners run until the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for index in uploaders.indices { group.addTask { [self] in await run(index) } }
        }
    }

    private func run(_ index: Int) async {
        let clock = ContinuousClock()
        // Spread the runners' fixes over the second.
        let start = clock.now + .milliseconds(index * 1_000 / uploaders.count)
        var second = 0
        while !Task.isCancelled {
            try? await clock.sleep(until: start + .seconds(second))
            _ = try? await uploaders[index].add(fix(index, seconds: Double(second)))
            second += 1
            // A delayed runner skips fixes, because two at once would be too fast for the activity.
            second = max(second, Int((clock.now - start) / .seconds(1)))
        }
    }

    func close() async {
        await withTaskGroup(of: Void.self) { group in
            for client in clients { group.addTask { await client.close() } }
        }
    }

    private func fix(_ index: Int, seconds: Double) -> TrackFix {
        let columns = max(1, Int(Double(uploaders.count).squareRoot().rounded(.up)))
        let rows = (uploaders.count + columns - 1) / columns
        let centre = LatLon(
            box.south + (box.north - box.south) * (Double(index / columns) + 0.5) / Double(rows),
            box.west + (box.east - box.west) * (Double(index % columns) + 0.5) / Double(columns))
        let share = Double(index * 7 % 16) / 15
        let radius = Self.radiusMetres.lowerBound * (1 - share) + Self.radiusMetres.upperBound * share
        let angle = Double(index) + seconds * Self.metresPerSecond / radius
        let metresPerDegree = 111_195.0
        let shrink = cos(centre.latitude * .pi / 180)
        return TrackFix(
            lat: centre.latitude + radius * sin(angle) / metresPerDegree,
            lon: centre.longitude + radius * cos(angle) / metresPerDegree / shrink, time: .now, accuracy: 5)
    }
}
