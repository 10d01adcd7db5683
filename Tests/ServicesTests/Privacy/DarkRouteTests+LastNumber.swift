import TestSupport
import Testing
import Wire

@testable import Hub
@testable import Services

extension DarkRouteTests {
    @Test(
        "Others do not get the number of the last point of a session without hidden parts either, which would tell the two apart"
    )
    func lastNumber() async throws {
        let dark = try await DarkWorld()
        let world = dark.world
        let session = try await world.start(dark.owner, audience: .public)
        let stranger = try await world.member()
        let viewer = RecordingViewer(loop: world.loop)
        _ = try await world.watch(viewer, session.id, as: stranger)
        _ = try await viewer.events()
        world.clock.advance(bySeconds: 100)
        let points = steadyRun(1...20, from: session.startedAt)
        try await world.send(points, to: session, as: dark.owner)
        await world.hub.tickNow()
        let sent = try await viewer.sessionUpdates().compactMap(\.session)
        #expect(!sent.isEmpty && sent.allSatisfy { $0.points > 0 && $0.lastSeq == nil })
        #expect(try await dark.session(session.id, as: dark.owner).session.lastSeq == 20)
        for who in [stranger, nil] {
            #expect(try await dark.session(session.id, as: who).session.lastSeq == nil)
        }
        try await world.stop(session, at: points[19].time, as: dark.owner)
        #expect(try await dark.session(session.id, as: stranger).session.lastSeq == nil)
        #expect(try await viewer.sessionUpdates().compactMap(\.session).allSatisfy { $0.lastSeq == nil })
    }
}
