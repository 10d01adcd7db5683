import CampanileClient
import Campus
import Foundation
import Wire

/// Runners for a map to show: real clients with a session each, one fix a second, everybody moving all the time.
///
/// Each runs in a circle of its own, and the circles are spread evenly over a box: a map of the box shows all of them, as the
/// canvas reaches beyond the map's edges, and all the time some pass from cell to cell.
final class MapCrowd: Sendable {
    /// Clients that connect at the same time in the beginning.
    private static let connectingMax = 50
    private static let metresPerSecond = 3.0
    private static let radiusMetres = 20.0...60.0

    private let clients: [ResilientClient]
    private let uploaders: [TrackUploader]
    private let box: GeoBox

    /// - Parameters:
    ///   - count: The accounts are those of ``IdleScenario/makeAccounts(_:dataDirectory:)``.
    ///   - box: Where the middles of their circles are.
    init(address: ServerAddress, loops: ClientLoops, count: Int, box: GeoBox) {
        self.box = box
        clients = (0..<count).map {
            ResilientClient(address: address, token: IdleScenario.token($0), loops: loops)
        }
        uploaders = clients.map { client in
            TrackUploader(client: client, options: TrackUploader.Options(activity: .run, audience: .public))
        }
    }

    /// Connects everyone and starts the sessions.
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

    /// Waits until the server knows of a campus: it looks every few seconds for what another process imported.
    func waitForCampus(seconds: Double) async throws {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(seconds)
        while try await clients[0].call(CampusInfoGet.self, Empty()).bounds == nil {
            guard clock.now < deadline else { throw BenchError(description: "the server does not see the campus") }
            try await clock.sleep(for: .milliseconds(200))
        }
    }

    /// Has everybody run until the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for index in uploaders.indices { group.addTask { [self] in await run(index) } }
        }
    }

    private func run(_ index: Int) async {
        let clock = ContinuousClock()
        // Not everybody's fix is due at the same moment.
        let start = clock.now + .milliseconds(index * 1_000 / uploaders.count)
        var second = 0
        while !Task.isCancelled {
            try? await clock.sleep(until: start + .seconds(second))
            _ = try? await uploaders[index].add(fix(index, seconds: Double(second)))
            second += 1
            // Held up, it leaves fixes out: two at once would be too fast for a runner.
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
