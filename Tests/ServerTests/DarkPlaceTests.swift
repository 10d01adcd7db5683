import Campus
import CampanileClient
import Foundation
import Services
import TestSupport
import Testing
import Wire

@testable import Server

/// A runner with a private zone, and strangers at every outlet, over sockets.
private struct DarkRun: Sendable {
    let connection: CampanileConnection
    let account: Wire.SignedIn
    let session: Int64
    let circle: SuppressionZone
    let start: Timestamp
    let token: String

    /// Where it begins: outside of buildings, on the sample campus.
    static let outside = SampleCampus.origin

    init(on server: TestServer, home: GeoPoint, audience: Audience = .public) async throws {
        (connection, account) = try await server.register()
        _ = try await connection.call(PrivacySettingsSave.self, .init(residences: true))
        _ = try await connection.call(
            PrivacySaveZone.self,
            .init(
                clientId: UUID().uuidString, name: "Home", lat: home.latitude, lon: home.longitude, size: .small))
        let rules = try #require(await server.server).environment.services.privacy.rules
        circle = try #require(rules.places(of: account.account.id)?.zones.first)
        start = Timestamp.now.advanced(bySeconds: -2_000)
        session = try await connection.call(
            TrackingStart.self,
            .init(activity: .run, clientId: UUID().uuidString, audience: audience, startedAt: start)
        ).session.id
        token = try await connection.call(TrackingLink.self, .init(session: session)).link.token
    }

    /// Points on a straight way west from the circle's middle, 4 m apart, a second each.
    func points(_ seqs: ClosedRange<Int64>) -> [TrackPoint] {
        seqs.map { seq in
            let place = circle.centre.offset(eastMetres: -Double(seq) * 4, northMetres: 0)
            return TrackPoint(
                seq: seq, lat: place.latitude, lon: place.longitude, time: start.advanced(bySeconds: Double(seq)),
                accuracy: 5)
        }
    }

    /// Points back at the middle.
    func pointsAtHome(_ seqs: ClosedRange<Int64>) -> [TrackPoint] {
        seqs.map { seq in
            TrackPoint(
                seq: seq, lat: circle.centre.latitude, lon: circle.centre.longitude + Double(seq % 5) * 1e-5,
                time: start.advanced(bySeconds: Double(seq)), accuracy: 5)
        }
    }

    @discardableResult
    func send(_ points: [TrackPoint]) async throws -> TrackingPoints.Result {
        try await connection.call(TrackingPoints.self, .init(session: session, points: points))
    }

    func isHidden(_ position: LatLon) throws -> Bool {
        circle.contains(try GeoPoint(latitude: position.latitude, longitude: position.longitude), within: 5)
    }
}

extension Sight {
    /// All that came but who watches, which is told a second later.
    fileprivate var said: [String] { everything.filter { !$0.contains(#""type":"presence""#) } }
}

@Suite("What strangers hear of somebody in a private zone")
struct DarkPlaceTests {
    /// Everything that came over a socket, as numbers that may be a position.
    private func check(_ sight: Sight, _ run: DarkRun, _ who: String) throws {
        for text in sight.everything {
            for match in text.matches(of: /\[(-?\d+\.\d+),(-?\d+\.\d+)\]|"lat":(-?\d+\.\d+),"lon":(-?\d+\.\d+)/) {
                guard let lat = (match.1 ?? match.3).flatMap({ Double($0) }),
                    let lon = (match.2 ?? match.4).flatMap({ Double($0) })
                else { continue }
                #expect(try !run.isHidden(LatLon(lat, lon)), "\(who) heard \(lat), \(lon)")
            }
        }
    }

    @Test(
        "No outlet of either node has a position, a point of a route, a time or a metre of the dark; the owner has all")
    func outlets() async throws {
        let nodes = try await TwoNodes.start()
        let run = try await DarkRun(on: nodes.first, home: DarkRun.outside)
        let id = run.session
        let (_, account) = try await nodes.second.register()
        let middle = run.circle.centre
        var sights: [(String, Sight)] = []
        for (name, server) in [("first", nodes.first), ("second", nodes.second)] {
            for token in [nil, account.token] {
                let sight = try await Sight(server, token: token)
                let zones = try await run.connection.call(CampusInfoGet.self, .init()).zones
                for zone in zones { try await sight.watch(zone: zone.id) }
                try await sight.view(
                    [
                        middle.latitude - 0.01, middle.longitude - 0.02, middle.latitude + 0.01,
                        middle.longitude + 0.02,
                    ], zoom: 15)
                // Nothing has been seen of it: it is not there, but for who was given a link.
                #expect(try await sight.watch(session: id) == ErrorCode.notFound.rawValue)
                if token == nil { #expect(try await sight.watch(session: id, share: run.token) == nil) }
                sights.append(("\(name), \(token == nil ? "guest" : "member")", sight))
            }
        }
        let own = try await Sight(nodes.first, token: run.account.token)
        #expect(try await own.watch(session: id) == nil)
        // At home: nobody hears anything.
        try await run.send(run.points(1...30))
        try await own.receives("the owner hears of it") { $0.session?.points == 30 && $0.runner != nil }
        for (name, sight) in sights {
            _ = try await sight.ask("ping")
            #expect(sight.runners[id] == nil, "\(name)")
            #expect(sight.updates.allSatisfy { $0.runner == nil && $0.append?.isEmpty != false }, "\(name)")
            #expect(
                try await sight.ask("tracking.session", #"{"session":\#(id)}"#).errorCode == ErrorCode.notFound.rawValue
            )
        }
        // Out of it, and away.
        try await run.send(run.points(31...130))
        let visible = try run.points(1...130).filter { try !run.isHidden(LatLon($0.lat, $0.lon)) }
        let first = try #require(visible.first)
        for (name, sight) in sights {
            _ = try await eventually("\(name) sees it") { sight.runners[id] }
            if sight.snapshots.isEmpty { #expect(try await sight.watch(session: id) == nil, "\(name)") }
            for share in ["", #","share":"\#(run.token)""#] {
                let reply = try await sight.ask("tracking.session", #"{"session":\#(id)\#(share)}"#)
                let shown = try WireJSON.decode(Success<TrackingSession.Result>.self, from: reply.payload).result
                #expect(shown.session.points == visible.count, "\(name)")
                #expect(shown.session.startedAt == first.time, "\(name)")
                #expect(shown.session.distance < Double(visible.count) * 4 + 10, "\(name)")
                #expect(shown.session.lastSeq == nil, "\(name)")
                let splits = try #require(shown.splits)
                #expect(abs(splits.map(\.distance).reduce(0, +) - shown.session.distance) < 0.1, "\(name)")
                #expect(splits.map(\.elapsed).reduce(0, +) <= shown.session.elapsed, "\(name)")
            }
            let runner = try #require(sight.runners[id])
            #expect(
                runner.distance < Double(visible.count) * 4 + 10 && runner.elapsed <= Double(visible.count), "\(name)")
        }
        // And home again: it leaves all maps as hidden, and no more is heard.
        try await run.send(run.pointsAtHome(131...150))
        try await own.receives("the owner hears of it") { $0.session?.points == 150 && $0.hidden == true }
        for (name, sight) in sights {
            _ = try await eventually("\(name) sees it leave") { sight.runners[id] == nil ? true : nil }
            #expect(sight.left.last == .init(session: id, reason: .hidden), "\(name)")
            _ = try await eventually("\(name) hears that it is hidden") {
                sight.updates.last?.hidden == true ? true : nil
            }
        }
        let counts = sights.map { $0.1.said.count }
        try await run.send(run.pointsAtHome(151...160))
        _ = try await run.connection.call(TrackingStop.self, .init(session: id))
        try await own.receives("the owner hears the end") { $0.type == .ended }
        for ((name, sight), count) in zip(sights, counts) {
            _ = try await sight.ask("ping")
            #expect(sight.said.count == count + 1, "\(name)")
            let reply = try await sight.ask("tracking.session", #"{"session":\#(id),"share":"\#(run.token)"}"#)
            let shown = try WireJSON.decode(Success<TrackingSession.Result>.self, from: reply.payload).result
            #expect(shown.session.points == visible.count, "\(name)")
            try check(sight, run, name)
        }
        let whole = try await run.connection.call(TrackingSession.self, .init(session: id))
        #expect(whole.session.points == 160 && whole.hidden?.isEmpty == false)
        for (_, sight) in sights { sight.close() }
        own.close()
        await run.connection.close()
        await nodes.stop()
    }

    @Test("A zone made at one node hides at once at the other, where the runner is at home and where it is watched")
    func elsewhere() async throws {
        let nodes = try await TwoNodes.start(pollInterval: .seconds(600))
        let run = try await DarkRun(on: nodes.first, home: DarkRun.outside)
        let id = run.session
        try await run.send(run.points(1...130))
        let (here, there) = (try await Sight(nodes.first), try await Sight(nodes.second))
        for sight in [here, there] { #expect(try await sight.watch(session: id) == nil) }
        // The owner's other device, at the other node.
        let device = try await nodes.second.connect(token: run.account.token)
        let end = try #require(run.points(130...130).first)
        _ = try await device.call(
            PrivacySaveZone.self,
            .init(clientId: UUID().uuidString, name: "Work", lat: end.lat, lon: end.lon, size: .small))
        let rules = try #require(await nodes.second.server).environment.services.privacy.rules
        let zones = try #require(rules.places(of: run.account.account.id)?.zones)
        #expect(zones.count == 2)
        for sight in [here, there] {
            _ = try await eventually("it is hidden") { sight.updates.last?.hidden == true ? true : nil }
            let route = try #require(sight.updates.last { $0.route != nil }?.route)
            for position in route.joined() {
                let point = try GeoPoint(latitude: position.latitude, longitude: position.longitude)
                #expect(!zones.contains { $0.contains(point) })
            }
        }
        for sight in [here, there] { sight.close() }
        await device.close()
        await run.connection.close()
        await nodes.stop()
    }

    @Test("In a residence one is shown to nobody until one wants to be, and an admin's zone is one at once")
    func residences() async throws {
        let server = try await TestServer.start()
        let (connection, account) = try await server.register()
        let services = try #require(await server.server).environment.services
        let hall = try #require(services.campus.snapshot.buildings.buildings.first { $0.isResidence })
        let box = try #require(hall.polygons.first?.box)
        let rules = services.privacy.rules
        try await rules.load(account.account.id)
        let at = LatLon(box.south + 1e-6, box.west + 1e-6)
        #expect(rules.hidden(account.account.id, at: at) == .residence)
        let session = try await connection.call(
            TrackingStart.self, .init(activity: .run, clientId: UUID().uuidString, audience: .public)
        ).session
        let stranger = try await server.connect()
        // Where it begins is not known yet.
        await #expect(throws: RPCError.self) {
            try await stranger.call(TrackingSession.self, .init(session: session.id))
        }
        try await connection.call(
            TrackingPoints.self,
            .init(
                session: session.id,
                points: [TrackPoint(seq: 1, lat: at.latitude, lon: at.longitude, time: .now, accuracy: 5)]))
        await #expect(throws: RPCError.self) {
            try await stranger.call(TrackingSession.self, .init(session: session.id))
        }
        _ = try await connection.call(PrivacySettingsSave.self, .init(residences: true))
        #expect(rules.hidden(account.account.id, at: at) == nil)
        #expect(try await stranger.call(TrackingSession.self, .init(session: session.id)).session.points == 1)
        _ = try await connection.call(PrivacySettingsSave.self, .init(residences: false))
        await #expect(throws: RPCError.self) {
            try await stranger.call(TrackingSession.self, .init(session: session.id))
        }
        await stranger.close()
        await connection.close()
        await server.stop()
    }
}
