import Campus
import Foundation
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Private zones and what is kept")
struct PrivateZoneTests {
    private func params(
        _ name: String = "Home", lat: Double = 42.05, lon: Double = -87.67, size: PrivateZoneSize = .small,
        zone: Int64? = nil, client: String? = UUID().uuidString
    ) -> PrivacySaveZone.Params {
        .init(zone: zone, clientId: client, name: name, lat: lat, lon: lon, size: size)
    }

    @Test("A zone is kept as its owner set it, once however often it is sent, and nobody else can change or see it")
    func zones() async throws {
        let dark = try await DarkWorld()
        let (privacy, owner) = (dark.privacy, dark.owner)
        let wanted = params()
        let zone = try await privacy.save(wanted, of: owner)
        #expect(try await privacy.save(wanted, of: owner) == zone)
        #expect(try await privacy.zones(of: owner) == [zone])
        #expect(zone.lat == 42.05 && zone.lon == -87.67 && zone.size == .small && zone.name == "Home")
        let stranger = try await dark.world.member()
        #expect(try await privacy.zones(of: stranger).isEmpty)
        _ = await refusal(.notFound) { try await privacy.save(params(zone: zone.id), of: stranger) }
        _ = await refusal(.notFound) { try await privacy.delete(.init(zone: zone.id), of: stranger) }
        let changed = try await privacy.save(params("Flat", size: .large, zone: zone.id, client: nil), of: owner)
        #expect(changed.id == zone.id && changed.name == "Flat" && changed.size == .large)
        #expect(try await privacy.delete(.init(zone: zone.id), of: owner).erased == 1)
        _ = await refusal(.notFound) { try await privacy.delete(.init(zone: zone.id), of: owner) }
        #expect(try await privacy.zones(of: owner).isEmpty)
    }

    @Test(
        "A zone that is deleted and made again has the same circle, also after a restart; its pin a few metres on too")
    func same() async throws {
        let dark = try await DarkWorld()
        let rules = await dark.world.tracking.rules
        let account = dark.owner.account.id
        let zone = try await dark.privacy.save(params(), of: dark.owner)
        let circle = try #require(rules.places(of: account)?.zones.first)
        _ = try await dark.privacy.delete(.init(zone: zone.id), of: dark.owner)
        #expect(rules.places(of: account)?.zones.isEmpty == true)
        let again = try await dark.privacy.save(params("Again"), of: dark.owner)
        #expect(rules.places(of: account)?.zones == [circle])
        // Whatever border of squares is near, a pin that is corrected by some metres keeps it.
        _ = try await dark.privacy.save(params(lat: 42.05001, zone: again.id), of: dark.owner)
        let restarted = await dark.world.restarted().tracking.rules
        try await restarted.load(account)
        #expect(restarted.places(of: account)?.zones == [circle])
        #expect(circle.contains(try GeoPoint(latitude: 42.05, longitude: -87.67)))
    }

    @Test("There are at most ten, and what is wrong with one is said")
    func limits() async throws {
        let dark = try await DarkWorld()
        let (privacy, owner) = (dark.privacy, dark.owner)
        for (wrong, field) in [
            (params(""), "name"), (params(String(repeating: "x", count: 61)), "name"), (params(lat: 91), "lat"),
            (params(lon: 181), "lon"), (params(lat: .nan), "lat"), (params(client: "no"), "clientId"),
            (params(client: nil), "clientId"),
        ] {
            let error = await refusal(.invalidParams) { try await privacy.save(wrong, of: owner) }
            #expect(error?.data?.field == field, "\(wrong)")
        }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<14 {
                group.addTask {
                    do {
                        _ = try await privacy.save(params("Place \(index)"), of: owner)
                        return true
                    } catch let error as RPCError where error.registered == .conflict {
                        return false
                    }
                }
            }
            let made = try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            #expect(made == Privacy.zonesMax)
        }
        #expect(try await privacy.zones(of: owner).count == Privacy.zonesMax)
    }

    @Test("Everything that tells more is off until it is switched on, and residences are dark until then")
    func settings() async throws {
        let dark = try await DarkWorld()
        #expect(try await dark.privacy.settings(of: dark.owner) == PrivacySettings())
        let campus = CampusMap()
        let box = try GeoBox(south: 0.0001, west: 0.0101, north: 0.0003, east: 0.0103)
        campus.replace(
            with: .init(
                info: dark.world.campus.snapshot.info, zones: dark.world.campus.snapshot.zones,
                buildings: BuildingIndex(buildings: [
                    Building(id: 1, name: "Ash Hall", polygons: [try box.polygon()], isResidence: true)
                ]), geoJSON: []))
        let rules = PrivacyRules(loop: dark.world.loop, database: dark.world.pool, campus: campus)
        let privacy = Privacy(loop: dark.world.loop, database: dark.world.pool, rules: rules)
        let account = dark.owner.account.id
        try await rules.load(account)
        #expect(rules.hidden(account, at: LatLon(0.0002, 0.0102)) == .residence)
        #expect(rules.hidden(account, at: LatLon(0.002, 0.0102)) == nil)
        let wanted = PrivacySettings(heatmap: true, residences: true)
        #expect(try await privacy.save(.init(heatmap: true, residences: true), of: dark.owner) == wanted)
        #expect(try await privacy.settings(of: dark.owner) == wanted)
        #expect(rules.hidden(account, at: LatLon(0.0002, 0.0102)) == nil)
    }

    @Test("A setting that is not given stays: a page from before another device's change does not undo it")
    func partly() async throws {
        let dark = try await DarkWorld()
        let forgotten = Mutex<[PrivacySettings]>([])
        let rules = await dark.world.tracking.rules
        let privacy = Privacy(
            loop: dark.world.loop, database: dark.world.pool, rules: rules,
            forget: { _, settings, _ in forgotten.withLock { $0.append(settings) } })
        _ = try await privacy.save(.init(heatmap: true, visits: true, searches: true), of: dark.owner)
        _ = try await privacy.save(.init(visits: false), of: dark.owner)
        let now = PrivacySettings(heatmap: true, searches: true, residences: true)
        #expect(try await privacy.save(.init(residences: true), of: dark.owner) == now)
        #expect(try await privacy.settings(of: dark.owner) == now)
        #expect(forgotten.withLock { $0.last } == now, "what was switched off before is still forgotten")
    }

    @Test("What cannot be forgotten is not switched off: it is said, and is on when the settings are read again")
    func forgotten() async throws {
        struct Broken: Error {}
        let dark = try await DarkWorld()
        let rules = await dark.world.tracking.rules
        let privacy = Privacy(
            loop: dark.world.loop, database: dark.world.pool, rules: rules,
            forget: { _, settings, _ in if !settings.visits { throw Broken() } })
        _ = try await privacy.save(.init(visits: true), of: dark.owner)
        await #expect(throws: Broken.self) { try await privacy.save(.init(visits: false), of: dark.owner) }
        #expect(try await privacy.settings(of: dark.owner).visits)
        // What is kept is forgotten in the transaction that stores the wish.
        let places = PersonalPlaces(loop: dark.world.loop, database: dark.world.pool)
        let account = dark.owner.account.id
        let visit =
            "INSERT INTO visits (account_id, kind, subject_id, day) VALUES ($1, 'building', 1, now())"
        _ = try await dark.world.pool.query(visit, [.int(account)])
        await #expect(throws: Broken.self) {
            try await dark.world.pool.transaction { transaction in
                try await places.forget(account, but: PrivacySettings(), transaction)
                throw Broken()
            }
        }
        func kept() async throws -> Int64? {
            let rows = try await dark.world.pool.query(
                "SELECT count(*) AS n FROM visits WHERE account_id = $1", [.int(account)])
            return try rows.first?.int("n")
        }
        #expect(try await kept() == 1)
        try await dark.world.pool.transaction { transaction in
            try await places.forget(account, but: PrivacySettings(), transaction)
        }
        #expect(try await kept() == 0)
    }

    @Test("Rules that another server changed are read at the next look; the account's secret goes with it")
    func elsewhere() async throws {
        let dark = try await DarkWorld()
        let world = dark.world
        let account = dark.owner.account.id
        let other = PrivacyRules(loop: world.loop, database: world.pool, campus: world.campus)
        try await other.readChanged()
        try await other.load(account)
        try await dark.hide()
        #expect(other.hidden(account, at: DarkWorld.home) == nil)
        #expect(try await other.readChanged() == [account])
        #expect(other.hidden(account, at: DarkWorld.home) == .zone)
        #expect(try await other.readChanged().isEmpty)
        _ = try await world.pool.query("DELETE FROM accounts WHERE id = $1", [.int(account)])
        let rows = try await world.pool.query(
            """
            SELECT (SELECT count(*) FROM privacy_keys WHERE account_id = $1)
                + (SELECT count(*) FROM private_zones WHERE account_id = $1) AS n
            """, [.int(account)])
        #expect(try rows.first?.int("n") == 0)
    }
}
