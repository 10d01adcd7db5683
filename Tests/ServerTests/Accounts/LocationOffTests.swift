import Campus
import CampanileClient
import Foundation
import Services
import TestSupport
import Testing
import Wire

@testable import Server

/// A runner with a public session and a link to it, a watcher by the link, and a guest at the map.
private struct OldClient: Sendable {
    let connection: CampanileConnection
    let account: Wire.SignedIn
    let session: Int64
    let start: Timestamp
    let byLink: Sight
    let map: Sight
    private static let place = SampleCampus.origin

    /// - Parameter isOff: The location is switched off before the session starts.
    init(on server: TestServer, isOff: Bool) async throws {
        (connection, account) = try await server.register()
        _ = try await connection.call(PrivacySettingsSave.self, .init(heatmap: true, residences: true))
        if isOff { _ = try await connection.call(AccountSaveSettings.self, .init(location: false)) }
        start = Timestamp.now.advanced(bySeconds: -100)
        session = try await connection.call(
            TrackingStart.self,
            .init(activity: .run, clientId: UUID().uuidString, audience: .public, startedAt: start)
        ).session.id
        let link = try await connection.call(TrackingLink.self, .init(session: session)).link.token
        byLink = try await Sight(server)
        _ = try await byLink.watch(session: session, share: link)
        map = try await Sight(server)
        let (lat, lon) = (Self.place.latitude, Self.place.longitude)
        try await map.view([lat - 0.01, lon - 0.02, lat + 0.01, lon + 0.02], zoom: 15)
    }

    /// Sends points on a straight way, a second each.
    func send(_ seqs: ClosedRange<Int64>) async throws {
        let points = seqs.map { seq in
            let place = Self.place.offset(eastMetres: -Double(seq) * 3, northMetres: 0)
            return TrackPoint(
                seq: seq, lat: place.latitude, lon: place.longitude, time: start.advanced(bySeconds: Double(seq)),
                accuracy: 5)
        }
        _ = try await connection.call(TrackingPoints.self, .init(session: session, points: points))
    }

    /// Expects that neither the link nor the map shows the runner, and that the server keeps no location.
    func expectNothingShown(_ what: String) async throws {
        for sight in [byLink, map] {
            _ = try await sight.ask("ping")
            #expect(sight.runners[session] == nil, "\(what)")
            #expect(sight.updates.allSatisfy { $0.runner == nil && $0.append?.isEmpty != false }, "\(what)")
        }
        let reply = try await map.ask("tracking.session", #"{"session":\#(session)}"#)
        #expect(reply.errorCode == ErrorCode.notFound.rawValue, "\(what)")
        #expect(try await connection.call(LocationMine.self, .init()).location == nil, "\(what)")
    }
}

@Suite("A location that is switched off, against an old client that goes on (C-6)")
struct LocationOffTests {
    @Test("A backdated session is stored, but no map, no link and no location shows it before the location is on")
    func backdated() async throws {
        let server = try await Shared.server
        let runner = try await OldClient(on: server, isOff: true)
        try await runner.send(1...20)
        // In order and late: the synchronous path and the one that draws the whole session.
        try await runner.send(40...60)
        try await runner.send(21...39)
        try await runner.expectNothingShown("backdated")
        let own = try await runner.connection.call(TrackingCurrent.self, Empty()).sessions
        #expect(own.map(\.points) == [60])
        _ = try await runner.connection.call(AccountSaveSettings.self, .init(location: true))
        _ = try await eventually("the map shows it") { runner.map.runners[runner.session] }
        await runner.connection.close()
    }

    @Test(
        "Off hides a session that others see; it cannot be resumed, a backdated resume shows nothing, on shows it again"
    )
    func resumed() async throws {
        let server = try await Shared.server
        let runner = try await OldClient(on: server, isOff: false)
        try await runner.send(1...20)
        _ = try await eventually("the map shows it") { runner.map.runners[runner.session] }
        _ = try await runner.connection.call(
            TrackingPause.self, .init(session: runner.session, at: runner.start.advanced(bySeconds: 21)))
        _ = try await runner.connection.call(AccountSaveSettings.self, .init(location: false))
        _ = try await eventually("it left the map") { runner.map.runners[runner.session] == nil ? true : nil }
        let error = await #expect(throws: RPCError.self) {
            try await runner.connection.call(TrackingResume.self, .init(session: runner.session))
        }
        #expect(error?.code == ErrorCode.conflict.rawValue)
        let before = runner.byLink.updates.count { $0.runner != nil || $0.append?.isEmpty == false }
        let late = SessionTimeParams(session: runner.session, at: runner.start.advanced(bySeconds: 22))
        #expect(try await runner.connection.call(TrackingResume.self, late).session.state == .running)
        try await runner.send(23...40)
        _ = try await runner.map.ask("ping")
        _ = try await runner.byLink.ask("ping")
        #expect(runner.map.runners[runner.session] == nil)
        #expect(runner.byLink.updates.count { $0.runner != nil || $0.append?.isEmpty == false } == before)
        #expect(try await runner.connection.call(LocationMine.self, .init()).location == nil)
        _ = try await runner.connection.call(AccountSaveSettings.self, .init(location: true))
        _ = try await eventually("the map shows it again") { runner.map.runners[runner.session] }
        await runner.connection.close()
    }

    @Test("A session that cannot be paused keeps neither the others running nor the devices from the signal")
    func onePauseFails() async throws {
        let server = try await Shared.server
        let ana = try await ChatPerson(server)
        let tablet = try await ChatClient(server, token: ana.token)
        _ = try await tablet.ask("subscribe", "{\"topic\":\"user/\(ana.id)\"}")
        func start() async throws -> Int64 {
            let params = TrackingStart.Params(activity: .run, clientId: UUID().uuidString)
            return try await ana.client.call(TrackingStart.self, params).session.id
        }
        let (first, last) = (try await start(), try await start())
        // Resumed a little ahead of the server's clock, as by a phone whose clock is fast: a pause now would precede it.
        _ = try await ana.client.call(TrackingPause.self, .init(session: last))
        _ = try await ana.client.call(
            TrackingResume.self, .init(session: last, at: Timestamp.now.advanced(bySeconds: 4)))
        _ = try await ana.client.call(AccountSaveSettings.self, .init(location: false))
        let sessions = try await ana.client.call(TrackingCurrent.self, Empty()).sessions
        #expect(sessions.first { $0.id == first }?.state == .paused)
        _ = try await eventually("the signal") { tablet.signals.contains(UserSignal(type: .settings)) ? true : nil }
    }

    @Test(
        "A choice made before another device closed a setting does not open it again; a choice that closes always holds"
    )
    func outdatedChoice() async throws {
        let ana = try await ChatPerson(try await Shared.server)
        let base = try await ana.client.call(AccountSaveSettings.self, .init(audience: .public, location: true))
            .versions
        _ = try await ana.client.call(AccountSaveSettings.self, .init(audience: .campus, location: false))
        let kept = try await ana.client.call(
            AccountSaveSettings.self, .init(theme: .dark, audience: .public, location: true, base: base))
        #expect(kept.audience == .campus && !kept.location && kept.theme == .dark)
        let closed = try await ana.client.call(AccountSaveSettings.self, .init(audience: .private, base: base))
        #expect(closed.audience == .private)
        let chosen = try await ana.client.call(
            AccountSaveSettings.self, .init(audience: .public, location: true, base: closed.versions))
        #expect(chosen.audience == .public && chosen.location)
        // An old client names no version.
        _ = try await ana.client.call(AccountSaveSettings.self, .init(location: false))
        #expect(try await ana.client.call(AccountSaveSettings.self, .init(location: true)).location)
    }
}
