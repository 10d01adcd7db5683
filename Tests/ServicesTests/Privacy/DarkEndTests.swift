import TestSupport
import Testing
import Wire

@testable import Hub
@testable import Services

@Suite("An end in the dark")
struct DarkEndTests {
    @Test("Who makes a session private behind it is shown to nobody any more: `closed` at once, and no end later")
    func privately() async throws {
        let dark = try await DarkWorld()
        let world = dark.world
        let (_, circle) = try await dark.hide(LatLon(0, 0.008))
        let session = try await world.start(dark.owner, audience: .public)
        let start = session.startedAt
        world.clock.advance(bySeconds: 300)
        let outside = DarkWorld.point(1, metres: 4, at: start.advanced(bySeconds: 1))
        let inside = TrackPoint(
            seq: 2, lat: circle.centre.latitude, lon: circle.centre.longitude, time: start.advanced(bySeconds: 200),
            accuracy: 5)
        try await world.send([outside], to: session, as: dark.owner)
        let viewer = RecordingViewer(loop: world.loop)
        _ = try await world.watch(viewer, session.id)
        try await world.send([inside], to: session, as: dark.owner)
        try await world.stop(session, at: start.advanced(bySeconds: 250), as: dark.owner)
        await world.hub.tick()
        #expect(try await !viewer.sessionUpdates().contains { $0.type == .ended })
        _ = try await world.tracking.setAudience(dark.owner, .init(session: session.id, audience: .private))
        #expect(try await viewer.sessionUpdates().map(\.type).filter { $0 != .presence } == [.closed])
        await #expect(throws: RPCError.self) { try await dark.session(session.id, as: nil) }
        await world.hub.endNow(session.id)
        await world.hub.tick()
        #expect(try await viewer.events().isEmpty)
    }
}
