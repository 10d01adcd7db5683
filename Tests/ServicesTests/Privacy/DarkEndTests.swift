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
        let (session, circle) = try await dark.beside()
        let start = session.startedAt
        let outside = DarkWorld.point(1, metres: 4, at: start.advanced(bySeconds: 1))
        let inside = DarkWorld.point(2, in: circle, at: start.advanced(bySeconds: 200))
        try await world.send([outside], to: session, as: dark.owner)
        let viewer = RecordingViewer(loop: world.loop)
        _ = try await world.watch(viewer, session.id)
        try await world.send([inside], to: session, as: dark.owner)
        try await world.stop(session, at: start.advanced(bySeconds: 250), as: dark.owner)
        await world.hub.tickNow()
        #expect(try await !viewer.sessionUpdates().contains { $0.type == .ended })
        _ = try await world.tracking.setAudience(dark.owner, .init(session: session.id, audience: .private))
        #expect(try await viewer.sessionUpdates().map(\.type).filter { $0 != .presence } == [.closed])
        await #expect(throws: RPCError.self) { try await dark.session(session.id, as: nil) }
        await world.hub.sessions.endNow(session.id)
        await world.hub.tickNow()
        #expect(try await viewer.events().isEmpty)
    }
}
