import CampanileClient
import Campus
import Wire

/// People who stand at the busy spots and let the heatmap count them. They have no buddy profile and do nothing else.
///
/// Each is an account of its own with a client of its own, because the heatmap counts accounts, and by no more than its rules show.
struct SampleCrowd: Sendable {
    /// Interval between two reports of a person: well below the two minutes after which the heatmap forgets a person.
    static let reportInterval = Duration.seconds(50)
    /// Greatest distance from the middle of the cell, in metres east or north. A cell is 57 m wide in the middle latitudes.
    private static let cellMetres = 16.0
    /// Accuracy of a report in metres.
    private static let accuracy = 12.0
    /// Highest number of accounts that are being registered, so that the crowd does not hold up the other samples.
    private static let registeringMax = 8

    let accounts: SampleAccounts
    let places: SamplePlaces

    /// Brings the crowd and keeps it there until the task is cancelled.
    func run() async throws {
        var generator = SeededGenerator(seed: 7)
        var standing: [(name: String, at: GeoPoint)] = []
        for spot in SampleSpot.all {
            guard let place = places[spot.place] else { continue }
            for _ in 0..<spot.people {
                standing.append(("crowd\(standing.count + 1)", Self.point(in: spot, at: place, &generator)))
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Each lane registers its people one after the other, and then keeps reporting for them.
            for lane in 0..<Self.registeringMax {
                let people = standing.enumerated().filter { $0.offset % Self.registeringMax == lane }.map(\.element)
                group.addTask { try await run(people) }
            }
            try await group.waitForAll()
        }
    }

    private func run(_ people: [(name: String, at: GeoPoint)]) async throws {
        var clients: [ResilientClient] = []
        do {
            for person in people {
                let client = ResilientClient(address: accounts.server, loops: accounts.loops)
                clients.append(client)
                await client.start()
                try await SimulatedAccount.register(over: client, name: person.name, key: accounts.key)
                _ = try await client.call(PrivacySettingsSave.self, .init(heatmap: true))
                try await report(person.at, over: client)
            }
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.reportInterval)
                for (client, person) in zip(clients, people) { try await report(person.at, over: client) }
            }
        } catch {
            for client in clients { await client.close() }
            guard Task.isCancelled else { throw error }
            return
        }
        for client in clients { await client.close() }
    }

    private func report(_ point: GeoPoint, over client: ResilientClient) async throws {
        do {
            _ = try await client.call(
                LocationReport.self,
                .init(lat: point.latitude, lon: point.longitude, accuracy: Self.accuracy, source: .wifi))
        } catch is RPCError {
        } catch ClientError.disconnected, ClientError.timeout {
            // The next report is soon.
        }
    }

    private static func point(
        in spot: SampleSpot, at place: GeoPoint, _ generator: inout SeededGenerator
    ) -> GeoPoint {
        let own = Cell(containing: place, zoom: HeatmapRules.zoom)
        let cell =
            Cell(
                zoom: own.zoom, x: UInt32(Int32(own.x) + spot.east), y: UInt32(Int32(own.y) + spot.south)) ?? own
        let box = cell.box
        let middle =
            (try? GeoPoint(latitude: (box.south + box.north) / 2, longitude: (box.west + box.east) / 2)) ?? place
        return middle.offset(
            eastMetres: Double.random(in: -cellMetres...cellMetres, using: &generator),
            northMetres: Double.random(in: -cellMetres...cellMetres, using: &generator))
    }
}
