extension SampleCampus {
    /// The floors of a building, in metres from its middle.
    struct FloorPlans {
        /// An entrance in the outer wall.
        struct Entrance {
            /// In metres from the campus's origin.
            var position: (Double, Double)
            var tags: [String: String]

            init(_ position: (Double, Double), _ tags: [String: String]) {
                (self.position, self.tags) = (position, tags)
            }
        }

        /// A room, a corridor or a hall: an outline, perhaps with a court as a hole.
        struct Space {
            /// The last part of the code; nil for spaces without one.
            var number: String?
            var rings: [[(Double, Double)]]
            var doors: [(Double, Double)]
            var tags: [String: String]
        }

        /// A lift or a staircase.
        struct Shaft {
            var box: [(Double, Double)]
            var levels: ClosedRange<Int>
            var door: (Double, Double)
            var tags: [String: String]
        }

        var building: String
        /// The building's number, with which its room codes begin.
        var number: String
        var middle: (Double, Double)
        var shafts: [Shaft]
        /// The spaces by level. Those of several levels are equal, up to the rooms' codes.
        var floors: [(levels: ClosedRange<Int>, spaces: [Space])]
        /// The entrances, with positions from the campus's origin.
        var entrances: [Entrance]

        /// Source ids of the building's own objects begin here.
        var firstID: Int { (Int(number) ?? 0) * 1_000 }

        /// The stable id of a shaft.
        func shaftID(_ index: Int) -> String { "way/\(-firstID - index - 1)" }

        /// A room's code: `2103.01.104`; levels below the ground have a B.
        func code(_ level: Int, _ number: String) -> String {
            let floor = level < 0 ? "B\(-level)" : level < 10 ? "0\(level)" : "\(level)"
            return "\(self.number).\(floor).\(number)"
        }
    }

    /// A room with one door.
    static func room(
        _ number: String, _ west: Double, _ south: Double, _ east: Double, _ north: Double, door: (Double, Double),
        named name: String? = nil, kind: String? = nil
    ) -> FloorPlans.Space {
        var tags = ["indoor": "room"]
        tags["name"] = name
        tags["room"] = kind
        return .init(number: number, rings: [box(west, south, east, north)], doors: [door], tags: tags)
    }

    /// A corridor or a hall. Its doors are those of the rooms, and openings to other halls.
    static func hall(
        _ name: String? = nil, _ rings: [[(Double, Double)]], openings: [(Double, Double)] = []
    ) -> FloorPlans.Space {
        var tags = ["indoor": "corridor"]
        tags["name"] = name
        return .init(number: nil, rings: rings, doors: openings, tags: tags)
    }

    static func lift(
        _ name: String, _ levels: ClosedRange<Int>, _ box: [(Double, Double)], door: (Double, Double)
    ) -> FloorPlans.Shaft {
        .init(
            box: box, levels: levels, door: door,
            tags: ["highway": "elevator", "indoor": "room", "name": name, "wheelchair": "yes", "capacity": "13"])
    }

    static func stairs(
        _ name: String, _ levels: ClosedRange<Int>, _ box: [(Double, Double)], door: (Double, Double)
    ) -> FloorPlans.Shaft {
        .init(
            box: box, levels: levels, door: door,
            tags: ["indoor": "room", "room": "stairs", "stairs": "yes", "name": name])
    }

    static func box(_ west: Double, _ south: Double, _ east: Double, _ north: Double) -> [(Double, Double)] {
        [(west, south), (east, south), (east, north), (west, north)]
    }
}

extension SampleCampus.FloorPlans {
    /// Adds all floors.
    func draw(into drawing: inout NetworkDrawing) {
        for (index, shaft) in shafts.enumerated() {
            var tags = shaft.tags
            tags["level"] = Self.list(shaft.levels)
            drawing.door(placed(shaft.door), levels: Array(shaft.levels), ["door": "sliding", "width": "1.1"])
            drawing.area(firstID + index + 1, [shaft.box.map(placed)], through: [placed(shaft.door)], tags)
        }
        for (levels, spaces) in floors {
            let doors = shafts.filter { $0.levels.overlaps(levels) }.map(\.door) + spaces.flatMap(\.doors)
            for space in spaces {
                let tags = space.number == nil ? ["door": "no"] : ["door": "hinged"]
                for door in space.doors { drawing.door(placed(door), levels: Array(levels), tags) }
            }
            for (index, space) in spaces.enumerated() {
                // A hall that repeats is one object, but each room has a code of its own.
                for level in space.number == nil ? [levels.lowerBound] : Array(levels) {
                    var tags = space.tags
                    tags["level"] = "\(level)"
                    if let number = space.number {
                        tags["ref"] = code(level, number)
                    } else if levels.count > 1 {
                        tags["repeat_on"] = Self.list(level + 1...levels.upperBound)
                    }
                    drawing.area(
                        firstID + Self.idsPerLevel * (level + 2) + index, space.rings.map { $0.map(placed) },
                        through: doors.map(placed) + entrances.map(\.position), tags)
                }
            }
        }
    }

    private static let idsPerLevel = 50

    private func placed(_ point: (Double, Double)) -> (Double, Double) { (middle.0 + point.0, middle.1 + point.1) }

    /// A list of levels as the tag writes it: a range, or single levels if there are negative ones.
    private static func list(_ levels: ClosedRange<Int>) -> String {
        guard levels.count > 1, levels.lowerBound >= 0 else {
            return levels.map { "\($0)" }.joined(separator: ";")
        }
        return "\(levels.lowerBound)-\(levels.upperBound)"
    }
}
