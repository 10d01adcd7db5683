import Campus
import Foundation
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import Services

/// A world whose people have private zones, and one who has one.
struct DarkWorld: Sendable {
    let world: World
    let privacy: Privacy
    let owner: Identity

    init() async throws {
        let world = try await World()
        self.world = world
        privacy = await Privacy(
            loop: world.loop, database: world.pool, rules: world.tracking.rules,
            changed: { await world.tracking.redraw($0) })
        owner = try await world.member()
    }

    /// The start of ``steadyRun(_:from:)``.
    static let home = LatLon(0, 0.001)
    private static let metresPerDegree = GeoPoint.earthRadiusMetres * .pi / 180

    @discardableResult
    func hide(_ place: LatLon = home, size: PrivateZoneSize = .small) async throws -> (PrivateZone, SuppressionZone) {
        let zone = try await privacy.save(
            .init(
                clientId: UUID().uuidString, name: "Home", lat: place.latitude, lon: place.longitude, size: size),
            of: owner)
        let circle = try #require(await world.tracking.rules.places(of: owner.account.id)?.zones.last)
        return (zone, circle)
    }

    /// A point of the way east from home.
    static func point(_ seq: Int64, metres: Double, at: Timestamp, north: Double = 0) -> TrackPoint {
        TrackPoint(
            seq: seq, lat: north / metresPerDegree, lon: home.longitude + metres / metresPerDegree, time: at,
            accuracy: 5)
    }

    /// A session with everybody that began five minutes ago, near a private zone.
    func beside() async throws -> (session: Session, circle: SuppressionZone) {
        let (_, circle) = try await hide(LatLon(0, 0.008))
        let session = try await world.start(owner, audience: .public)
        world.clock.advance(bySeconds: 300)
        return (session, circle)
    }

    /// In the middle of a private zone.
    static func point(_ seq: Int64, in circle: SuppressionZone, at: Timestamp) -> TrackPoint {
        TrackPoint(seq: seq, lat: circle.centre.latitude, lon: circle.centre.longitude, time: at, accuracy: 5)
    }

    func isHidden(_ point: TrackPoint) async -> Bool { await isHidden(LatLon(point.lat, point.lon)) }

    /// As known as all points here are.
    func isHidden(_ position: LatLon) async -> Bool {
        await world.tracking.rules.hidden(owner.account.id, at: position, within: 5) != nil
    }

    func session(_ id: Int64, as who: Identity?, share: String? = nil) async throws -> TrackingSession.Result {
        try await world.tracking.session(who, .init(session: id, share: share))
    }
}
