import Foundation
import Testing
import Wire

@testable import Campus

@Suite("The ladder of precisions")
struct LadderTests {
    private static func square(_ id: Int64, _ east: Double, _ metres: Double) throws -> GeoPolygon {
        let low = SampleCampus.at(east, 0)
        let high = SampleCampus.at(east + metres, metres)
        return try GeoBox(
            south: low.latitude, west: low.longitude, north: high.latitude, east: high.longitude
        ).polygon()
    }

    private static func ladder() throws -> PrivacyLadder {
        let zone = Zone(id: 4, ref: "A1", name: "Quad", polygons: [try square(4, 0, 400)])
        let hall = Building(id: 9, name: "Hall", polygons: [try square(9, 100, 50)])
        let low = SampleCampus.at(-100, -100)
        let high = SampleCampus.at(600, 600)
        return PrivacyLadder(
            zones: ZoneIndex(zones: [zone]), buildings: BuildingIndex(buildings: [hall]),
            bounds: try GeoBox(south: low.latitude, west: low.longitude, north: high.latitude, east: high.longitude))
    }

    private static func fix(_ east: Double, _ north: Double, accuracy: Double = 5, speed: Double? = nil) -> LocatedFix {
        LocatedFix(
            point: SampleCampus.at(east, north), accuracy: accuracy, heading: 90, speed: speed, source: .gps,
            at: Timestamp(milliseconds: 5_000))
    }

    @Test(
        "each rung tells what its row of the article says and no more; coarse ones are the same for everybody in the place"
    )
    func rungs() throws {
        let ladder = try Self.ladder()
        let (one, other) = (Self.fix(105, 5, accuracy: 4, speed: 3), Self.fix(145, 44, accuracy: 30))
        let exact = ladder.shown(one, as: .exact)
        #expect(exact.lat == one.point.latitude && exact.lon == one.point.longitude)
        #expect(exact.accuracy == 4 && exact.speed == 3 && exact.heading == 90 && exact.source == .gps)
        #expect(exact.place == nil && exact.onCampus)
        for precision in [Precision.building, .zone, .campus] {
            let shown = ladder.shown(one, as: precision)
            #expect(shown == ladder.shown(other, as: precision), "\(precision)")
            #expect(shown.heading == nil && shown.speed == nil && shown.source == nil && shown.onCampus)
        }
        let building = ladder.shown(one, as: .building)
        #expect(building.place == LocationPlace(kind: .building, id: 9, name: "Hall"))
        let middle = try GeoPoint(latitude: try #require(building.lat), longitude: try #require(building.lon))
        #expect(middle.distance(to: SampleCampus.at(125, 25)) < 0.1)
        #expect(building.accuracy == 35)
        #expect(ladder.shown(one, as: .zone).place?.id == 4)
        let campus = ladder.shown(one, as: .campus)
        #expect(campus == SharedLocation(onCampus: true, at: one.at))
    }

    @Test("outside of buildings it is the zone; outside of zones only whether it is on campus")
    func outside() throws {
        let ladder = try Self.ladder()
        #expect(ladder.shown(Self.fix(300, 300), as: .building).place?.kind == .zone)
        for precision in [Precision.building, .zone, .campus] {
            #expect(
                ladder.shown(Self.fix(500, 500), as: precision)
                    == SharedLocation(onCampus: true, at: Timestamp(milliseconds: 5_000)))
            #expect(
                ladder.shown(Self.fix(5_000, 5_000), as: precision)
                    == SharedLocation(onCampus: false, at: Timestamp(milliseconds: 5_000)))
        }
    }

    @Test("a share looks on a clock of its own, which its secret fixes and movement does not")
    func looks() {
        let secrets = (0..<200).map { testMac($0)(Array("share 1".utf8)) }
        for precision in [Precision.building, .zone, .campus] {
            let clocks = secrets.map { SamplingClock(precision, secret: $0) }
            let interval = precision.samplingSeconds * 1_000
            #expect(Set(clocks.map(\.phaseMilliseconds)).count > 100)
            for clock in clocks {
                #expect((0..<interval).contains(clock.phaseMilliseconds))
                let now = Timestamp(milliseconds: 1_700_000_123_456)
                let look = clock.samplingTime(at: now)
                #expect(look <= now && now.milliseconds - look.milliseconds < interval)
                #expect(clock.samplingTime(at: look) == look)
                #expect(clock.next(after: now).milliseconds == look.milliseconds + interval)
                #expect(clock.samplingTime(at: clock.next(after: now)) == clock.next(after: now))
            }
        }
        let now = Timestamp(milliseconds: 77)
        #expect(SamplingClock(.exact, secret: secrets[0]).samplingTime(at: now) == now)
    }

    @Test("who stands stays where they are, however long; who goes, drives, or sets a pin does not")
    func standing() {
        var generator = SeededGenerator(seed: 5)
        var held = Self.fix(0, 0, accuracy: 10)
        let first = held.point
        for second in 1...3_600 {
            var fix = Self.fix(
                Double.random(in: -9...9, using: &generator), Double.random(in: -9...9, using: &generator),
                accuracy: 10, speed: 0)
            fix.at = Timestamp(milliseconds: Int64(second) * 1_000)
            held = held.followed(by: fix)
            #expect(held.at == fix.at)
        }
        #expect(held.point == first && held.accuracy == 10 && held.heading == nil)
        #expect(held.followed(by: Self.fix(41, 0, accuracy: 10)).point != first)
        // However inexact both are.
        #expect(held.followed(by: Self.fix(60, 0, accuracy: 500)).point != first)
        #expect(held.followed(by: Self.fix(3, 0, accuracy: 10, speed: 1.4)).point != first)
        #expect(held.followed(by: Self.fix(3, 0, accuracy: 4)).accuracy == 4)
        var pin = Self.fix(1, 0)
        pin.source = .manual
        #expect(held.followed(by: pin).point == pin.point)
    }

    @Test("residences are dark with a margin, buildings and zones alike; others are not")
    func residences() throws {
        let home = Building(id: 1, name: nil, polygons: [try Self.square(1, 0, 20)], isResidence: true)
        let office = Building(id: 2, name: nil, polygons: [try Self.square(2, 300, 20)])
        let halls = Zone(id: 3, ref: "H", name: "Halls", polygons: [try Self.square(3, 600, 100)], isResidence: true)
        let places = SuppressionAreas(zones: [], residences: ResidenceIndex(buildings: [home, office], zones: [halls]))
        func hidden(_ east: Double, within metres: Double = 0) -> MyLocation.Hidden? {
            let point = SampleCampus.at(east, 10)
            return places.hidden(at: LatLon(point.latitude, point.longitude), within: metres)
        }
        #expect(hidden(10) == .residence)
        #expect(hidden(49) == .residence)
        #expect(hidden(52) == nil)
        #expect(hidden(52, within: 10) == nil && hidden(52, within: 40) == .residence)
        #expect(hidden(310) == nil)
        #expect(hidden(650) == .residence)
        #expect(hidden(571) == .residence)
        #expect(hidden(568) == nil)
        #expect(SuppressionAreas(zones: [], residences: ResidenceIndex(buildings: [office], zones: [])).isEmpty)
    }

    @Test("the sample campus has residences, and the map's tags say which buildings are some")
    func tags() {
        let names = Set(SampleCampus.document.buildings.filter(\.isResidence).compactMap(\.name))
        #expect(
            names.contains("Ash Hall") && names.contains("Lakeside Residence") && !names.contains("Hall of Letters"))
        for value in ["dormitory", "apartments", "house", "detached", "terrace", "bungalow", "hall_of_residence"] {
            #expect(OSMResidences.isResidence(building: ["building": value]), "\(value)")
        }
        #expect(OSMResidences.isResidence(building: ["building": "yes", "amenity": "student_accommodation"]))
        for value in ["yes", "university", "hotel", "garage", "retail"] {
            #expect(!OSMResidences.isResidence(building: ["building": value]), "\(value)")
        }
    }

    @Test("Northwestern's residences are known", .enabled(if: RealData.isPresent))
    func northwestern() throws {
        let campus = try OSMImport().read(RealData.northwestern)
        let homes = campus.buildings.filter(\.isResidence)
        #expect(homes.count > 50)
        #expect(homes.count < campus.buildings.count)
        let names = Set(homes.compactMap(\.name))
        #expect(names.contains { $0.contains("Residen") || $0.contains("Hall") })
    }
}
