import Campus
import Foundation

/// A simulated day of people on a campus. Each person has a home, lectures and a meal, and walks between them along the
/// campus's ways. Deterministic for a seed; all people are fictional.
///
/// Not thread-safe: used by one thread.
final class CampusDay {
    /// A destination: a home, a lecture hall or a place to eat.
    struct Place {
        let middle: GeoPoint
        /// Distance from the middle within which people stand, in metres.
        let reach: (east: Double, north: Double)
        /// The entrance, as an index of the graph's points.
        let door: Int32
    }

    /// A walk to a place.
    struct Trip {
        /// Departure, in seconds after midnight.
        let leaves: Int32
        let to: Int16
    }

    private struct Person {
        var trips: [Trip] = []
        var speed = 1.35
        var seed: UInt64 = 0
        /// Index of the next trip.
        var trip = 0
        let home: Int16
        /// Current place, or the origin of the current walk.
        var place: Int16
        var isWalking = false
        /// The last point passed on the walk, and the distance beyond it in metres.
        var point: Int32 = 0
        var beyond = 0.0
        var lastSecond = 0.0
    }

    static let secondsOfDay = 86_400
    private static let homesMax = 250
    private static let hallsMax = 40
    private static let mealsMax = 40
    private static let lectureHours = 8...18
    /// Minimum ground area of a lecture hall, in square metres.
    private static let hallAreaMin = 800.0

    let graph: WalkGraph
    let places: [Place]
    let count: Int
    private let homes: Range<Int>
    private let halls: Range<Int>
    private let meals: Range<Int>
    private let ways: [[Int32]]
    private var people: [Person] = []

    /// - Throws: ``BenchError`` for a campus without ways or buildings.
    init(_ campus: CampusDocument, people count: Int, seed: UInt64 = 1) throws {
        graph = WalkGraph(campus.ways)
        guard graph.points.count > 1, !campus.buildings.isEmpty else {
            throw BenchError(description: "the campus has no ways or no buildings: import another file")
        }
        var dice = SplitMix(seed)
        let boxes = campus.buildings.compactMap { building in Self.box(building).map { (building.name, $0) } }
        let large = boxes.filter { $0.1.widthMetres * $0.1.heightMetres >= Self.hallAreaMin }
        let halls = (large.isEmpty ? boxes : large).sorted {
            $0.1.widthMetres * $0.1.heightMetres > $1.1.widthMetres * $1.1.heightMetres
        }
        .prefix(Self.hallsMax).map(\.1)
        let homes = boxes.shuffled(using: &dice).prefix(Self.homesMax).map(\.1)
        let food: Set = ["cafe", "restaurant", "fast_food", "food_court", "canteen", "pub"]
        let eating = campus.places.filter { food.contains($0.kind) }.prefix(Self.mealsMax).map(\.point)
        let graph = graph
        func place(_ box: GeoBox) -> Place {
            Place(
                middle: box.centre, reach: (box.widthMetres / 3, box.heightMetres / 3),
                door: graph.nearest(to: box.centre))
        }
        let mealPlaces =
            eating.isEmpty
            ? Array(halls.prefix(3).map(place))
            : eating.map { Place(middle: $0, reach: (8, 8), door: graph.nearest(to: $0)) }
        places = homes.map(place) + halls.map(place) + mealPlaces
        self.homes = 0..<homes.count
        self.halls = homes.count..<homes.count + halls.count
        meals = homes.count + halls.count..<places.count
        ways = places.map { graph.waysTo($0.door) }
        self.count = count
        people = (0..<count).map { _ in makePerson(&dice) }
    }

    private static func box(_ building: CampusDocument.Building) -> GeoBox? {
        let points = building.polygons.flatMap(\.outer)
        guard let first = points.first else { return nil }
        let (latitudes, longitudes) = (points.map(\.latitude), points.map(\.longitude))
        return try? GeoBox(
            south: latitudes.min() ?? first.latitude, west: longitudes.min() ?? first.longitude,
            north: latitudes.max() ?? first.latitude, east: longitudes.max() ?? first.longitude)
    }

    private func makePerson(_ dice: inout SplitMix) -> Person {
        let home = Int16(Int.random(in: homes, using: &dice))
        var person = Person(home: home, place: home)
        person.speed = Double.random(in: 1.1...1.6, using: &dice)
        person.seed = dice.next()
        let hours = Array(Self.lectureHours).shuffled(using: &dice).prefix(Int.random(in: 2...5, using: &dice)).sorted()
        let meal = Int.random(in: 11...13, using: &dice)
        var stays = hours.filter { $0 != meal }.map { (hour: $0, place: Int16(Int.random(in: halls, using: &dice))) }
        stays.append((meal, Int16(Int.random(in: meals, using: &dice))))
        stays.sort { $0.hour < $1.hour }
        for (index, stay) in stays.enumerated() {
            // Most people arrive in the 15 minutes before the full hour.
            let leaves = stay.hour * 3_600 - Int.random(in: 120...1_000, using: &dice)
            person.trips.append(Trip(leaves: Int32(leaves), to: stay.place))
            let next = index + 1 < stays.count ? stays[index + 1].hour : 24
            // Some people go home between two distant appointments.
            if next - stay.hour > 2 || index + 1 == stays.count {
                let ends = stay.hour * 3_600 + Int.random(in: 2_700...3_300, using: &dice)
                person.trips.append(Trip(leaves: Int32(ends), to: home))
            }
        }
        return person
    }

    /// The position of a person. For each person, call it with ascending times.
    /// - Parameters:
    ///   - index: Below ``count``.
    ///   - second: Second of the day.
    func position(of index: Int, at second: Double) -> (point: GeoPoint, isWalking: Bool) {
        advance(&people[index], to: second)
        let person = people[index]
        guard person.isWalking else { return (standing(person), false) }
        let ahead = ways[Int(person.trips[person.trip].to)][Int(person.point)]
        let (from, to) = (graph.points[Int(person.point)], graph.points[Int(ahead)])
        let length = from.distance(to: to)
        let part = length > 0 ? min(1, person.beyond / length) : 0
        let (latitude, longitude) = (
            from.latitude + (to.latitude - from.latitude) * part,
            from.longitude + (to.longitude - from.longitude) * part
        )
        let point = (try? GeoPoint(latitude: latitude, longitude: longitude)) ?? from
        return (point, true)
    }

    /// The departure of a standing person to the next place, in seconds of the day; nil if the person stays. As of the
    /// last ``position(of:at:)`` call.
    func leaves(_ index: Int) -> Int? {
        let person = people[index]
        guard !person.isWalking, person.trip < person.trips.count else { return nil }
        return Int(person.trips[person.trip].leaves)
    }

    /// The walks of a person, in order.
    func trips(of index: Int) -> [Trip] { people[index].trips }

    func home(of index: Int) -> Int { Int(people[index].home) }

    /// The walking speed of a person, in metres per second.
    func speed(of index: Int) -> Double { people[index].speed }

    /// Where a person stands in a place.
    func spot(of index: Int, in place: Int) -> GeoPoint {
        var person = people[index]
        person.place = Int16(place)
        return standing(person)
    }

    /// A position in the place that is constant for each person.
    private func standing(_ person: Person) -> GeoPoint {
        let place = places[Int(person.place)]
        var dice = SplitMix(person.seed ^ UInt64(person.place))
        return place.middle.offset(
            eastMetres: Double.random(in: -1...1, using: &dice) * place.reach.east,
            northMetres: Double.random(in: -1...1, using: &dice) * place.reach.north)
    }

    private func advance(_ person: inout Person, to second: Double) {
        while true {
            if !person.isWalking {
                guard person.trip < person.trips.count, Double(person.trips[person.trip].leaves) <= second else {
                    return
                }
                person.isWalking = true
                person.point = places[Int(person.place)].door
                person.beyond = 0
                person.lastSecond = max(person.lastSecond, Double(person.trips[person.trip].leaves))
            }
            let goal = person.trips[person.trip].to
            let way = ways[Int(goal)]
            person.beyond += max(0, second - person.lastSecond) * person.speed
            person.lastSecond = second
            while person.point != places[Int(goal)].door {
                let ahead = way[Int(person.point)]
                let length = graph.points[Int(person.point)].distance(to: graph.points[Int(ahead)])
                guard person.beyond >= length else { return }
                person.beyond -= length
                person.point = ahead
            }
            person.isWalking = false
            // The time of arrival, because the next walk may have begun since then.
            person.lastSecond = second - person.beyond / person.speed
            person.place = goal
            person.trip += 1
        }
    }
}
