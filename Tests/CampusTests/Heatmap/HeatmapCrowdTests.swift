import Testing
import Wire

@testable import Campus

@Suite("Who counts in the heatmap")
struct HeatmapCrowdTests {
    private let second: UInt64 = 1_000_000_000

    private func point(_ longitude: Double) throws -> GeoPoint { try GeoPoint(latitude: 42, longitude: longitude) }

    @Test("A person counts at the last reported location, and nowhere after two minutes or without consent")
    func counting() throws {
        var crowd = HeatmapCrowd()
        crowd.note(1, at: try point(0), now: 0)
        crowd.note(1, at: try point(1), now: 10 * second)
        crowd.note(2, at: try point(0), now: 20 * second)
        crowd.note(3, at: try point(0), now: 130 * second)
        let reports = crowd.reports(now: 130 * second) { $0 != 3 }
        #expect(reports.map(\.person.account).sorted() == [1, 2])
        #expect(reports.first { $0.person.account == 1 }?.person.place == HeatmapPlace(containing: try point(1)))
        #expect(reports.first { $0.person.account == 1 }?.age == 120)
        // Who did not count is forgotten, and does not count again by itself.
        #expect(crowd.reports(now: 131 * second) { _ in true }.map(\.person.account) == [2])
        crowd.forget(2)
        #expect(crowd.reports(now: 131 * second) { _ in true }.isEmpty && crowd.count == 0)
    }

    @Test("An account counts once, at its last reported location, whatever the order of the nodes")
    func distinct() throws {
        let (here, there) = (HeatmapPlace(x: 1, y: 1), HeatmapPlace(x: 2, y: 1))
        func report(_ account: Int64, _ place: HeatmapPlace, _ age: UInt64) -> HeatmapCrowd.Report {
            HeatmapCrowd.Report(person: HeatmapPerson(account: account, place: place), age: age)
        }
        let (one, other) = ([report(1, here, 9), report(2, here, 3)], [report(1, there, 2), report(2, there, 3)])
        for nodes in [[one, other], [other, one]] {
            let people = HeatmapCrowd.distinct(nodes).sorted { $0.account < $1.account }
            #expect(people == [HeatmapPerson(account: 1, place: there), HeatmapPerson(account: 2, place: here)])
        }
    }

    @Test("The number of counted people is limited")
    func limit() throws {
        var crowd = HeatmapCrowd()
        for account in 0..<Int64(HeatmapRules.peopleMax) + 5 { crowd.note(account, at: try point(0), now: 0) }
        #expect(crowd.count == HeatmapRules.peopleMax)
    }
}

@Suite("A route over the heatmap")
struct HeatmapRouteTests {
    /// Along a row of cells, from the middle of one to the middle of another.
    private func route(_ from: UInt32, _ to: UInt32, y: UInt32 = 194_000) throws -> [GeoPoint] {
        try [from, to].map { x in
            let box = try #require(Cell(zoom: HeatmapRules.zoom, x: x, y: y)).box
            return try GeoPoint(latitude: (box.south + box.north) / 2, longitude: (box.west + box.east) / 2)
        }
    }

    @Test(
        "A route over the heatmap has parts in order and without gaps, cut where it enters and leaves cells that show something"
    )
    func parts() throws {
        let route = try route(1_000, 1_004)
        let length = route[0].distance(to: route[1])
        let cells = [HeatCell(x: 1_001, y: 194_000, people: 20), HeatCell(x: 1_002, y: 194_000, people: 10)]
        let parts = try #require(HeatmapRoute.parts(of: route, over: HeatmapRoute.people(in: cells)))
        #expect(parts.map(\.people) == [0, 20, 10, 0])
        let edges = [0, 0.5, 1.5, 2.5, 4].map { $0 / 4 * length }
        for (index, part) in parts.enumerated() {
            #expect(abs(part.from - edges[index]) < 0.01 && abs(part.to - edges[index + 1]) < 0.01)
        }
        for (one, next) in zip(parts, parts.dropFirst()) { #expect(one.to == next.from) }
        #expect(HeatmapRoute.parts(of: route, over: [:])?.count == 1)
    }

    @Test("A route over the heatmap may stand still, cross the date line, and is refused when it is too long")
    func edges() throws {
        let here = try GeoPoint(latitude: 10, longitude: 10)
        #expect(HeatmapRoute.parts(of: [here, here], over: [:])?.map(\.to) == [0])
        let last = UInt32(1 << 19 - 1)
        let across = [
            try GeoPoint(latitude: 0.0001, longitude: 179.9999), try GeoPoint(latitude: 0.0001, longitude: -179.9999),
        ]
        let y = HeatmapPlace(containing: across[0]).y
        let parts = HeatmapRoute.parts(
            of: across,
            over: HeatmapRoute.people(
                in: [HeatCell(x: last, y: y, people: 10), HeatCell(x: 0, y: y, people: 20)]))
        #expect(parts?.map(\.people) == [10, 20])
        #expect((parts?.last?.to ?? 0) < 30)
        let far = try GeoPoint(latitude: 10, longitude: 10.5)
        #expect(HeatmapRoute.parts(of: [here, far], over: [:]) == nil)
    }

    @Test(
        "A route over the heatmap may be 50 km long as far north as people live, and is refused where it would be cut thousands of times"
    )
    func narrow() throws {
        func parts(_ latitude: Double) throws -> [HeatmapAlong.Part]? {
            // Aslant, 49 km.
            let from = try GeoPoint(latitude: latitude, longitude: 10)
            let to = from.offset(eastMetres: 34_600, northMetres: -34_600)
            #expect(from.distance(to: to) < HeatmapRoute.lengthMax)
            return HeatmapRoute.parts(of: [from, to], over: [:])
        }
        #expect(try parts(0) != nil && parts(60) != nil && parts(67) != nil)
        #expect(try parts(79) == nil)
    }
}
