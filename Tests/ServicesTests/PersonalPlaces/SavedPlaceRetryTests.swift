import Foundation
import Testing
import Wire

@testable import Services

@Suite("Saving a place again after a lost reply")
struct SavedPlaceRetryTests {
    @Test("A further request with the same clientId changes the place's name and position, and only for its account")
    func repeated() async throws {
        let world = try await World()
        let places = PersonalPlaces(loop: world.loop, database: world.pool, now: { world.clock.now })
        let (anna, ben) = (try await world.member(), try await world.member())
        let client = UUID().uuidString
        let first = try await places.save(.init(clientId: client, name: "Oak", lat: 51.5, lon: 8), of: anna)
        let again = try await places.save(.init(clientId: client, name: "Old oak", lat: 51.6, lon: 8.1), of: anna)
        #expect(again.id == first.id && again.savedAt == first.savedAt)
        #expect(again.name == "Old oak" && again.lat == 51.6 && again.lon == 8.1)
        let other = try await places.save(.init(clientId: client, name: "Elm", lat: 1, lon: 2), of: ben)
        #expect(other.id != first.id)
        #expect(try await places.saved(of: anna).places == [again])
        #expect(try await places.saved(of: ben).places == [other])
    }
}
