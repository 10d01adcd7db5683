extension SampleCampus {
    static let plans = [weaverLibrary, foundersHall, chemistryBuilding, mathematicsTower]

    private static let stepsEntrance = ["entrance": "main", "door": "hinged", "level": "0", "wheelchair": "no"]
    private static let levelEntrance = [
        "entrance": "yes", "door": "sliding", "level": "0", "width": "1.4", "wheelchair": "yes",
    ]

    /// Lecture halls on three levels, with one lift.
    static let foundersHall = FloorPlans(
        building: "Founders Hall", number: "1101", middle: (-205, 222),
        shafts: [
            lift("Lift", 0...2, box(8, 1.5, 11, 4.5), door: (9.5, 1.5)),
            stairs("West stairs", 0...2, box(-40, 1.5, -36, 17), door: (-38, 1.5)),
            stairs("East stairs", 0...2, box(36, -17, 40, -1.5), door: (38, -1.5)),
        ],
        floors: [
            (
                0...0,
                [
                    hall("Foyer", [box(-8, -17, 8, 17)]),
                    hall(nil, [box(-40, -1.5, -8, 1.5)], openings: [(-8, 0)]),
                    hall(nil, [box(8, -1.5, 40, 1.5)], openings: [(8, 0)]),
                    room("001", -40, -17, -8, -1.5, door: (-12, -1.5), named: "Founders Theatre"),
                    room("002", -36, 1.5, -8, 17, door: (-12, 1.5), named: "Lecture Hall 2"),
                    room("003", 8, -17, 36, -1.5, door: (12, -1.5), named: "Lecture Hall 3"),
                    room("004", 11, 1.5, 40, 17, door: (16, 1.5), named: "Lecture Hall 4"),
                    room("005", 8, 4.5, 11, 17, door: (8, 10), named: "Toilets", kind: "toilets"),
                ]
            ),
            (
                1...2,
                [
                    hall("Gallery", [box(-40, -1.5, 40, 1.5)]),
                    room("101", -40, -17, -24, -1.5, door: (-32, -1.5), named: "Seminar Room"),
                    room("102", -24, -17, -8, -1.5, door: (-16, -1.5), named: "Seminar Room"),
                    room("103", -8, -17, 8, -1.5, door: (0, -1.5)), room("104", 8, -17, 24, -1.5, door: (16, -1.5)),
                    room("105", 24, -17, 36, -1.5, door: (30, -1.5)),
                    room("106", -36, 1.5, -24, 17, door: (-30, 1.5)), room("107", -24, 1.5, -8, 17, door: (-16, 1.5)),
                    room("108", -8, 1.5, 8, 17, door: (0, 1.5), named: "Faculty Office"),
                    room("109", 11, 1.5, 24, 17, door: (18, 1.5)),
                    room("110", 24, 1.5, 40, 17, door: (32, 1.5), named: "Senate Room"),
                ]
            ),
        ],
        entrances: [.init((-205, 205), stepsEntrance), .init((-205, 239), levelEntrance)])

    /// Laboratories on four levels and a basement, with one lift.
    static let chemistryBuilding = FloorPlans(
        building: "Chemistry Building", number: "5508", middle: (-300, -212),
        shafts: [
            lift("Lift", -1...3, box(-3, 1.5, 0, 4.5), door: (-1.5, 1.5)),
            stairs("West stairs", -1...3, box(-25, 1.5, -20, 17), door: (-22.5, 1.5)),
            stairs("East stairs", 0...3, box(20, -17, 25, -1.5), door: (22.5, -1.5)),
        ],
        floors: [
            (-1...(-1), [hall("Basement", [box(-25, -1.5, 25, 1.5)])] + laboratories(["Solvent Store", "Workshop"])),
            (
                0...0,
                [
                    hall(nil, [box(-25, -1.5, 25, 1.5)]),
                    hall("Entrance hall", [box(-3, -17, 3, -1.5)], openings: [(0, -1.5)]),
                ] + laboratories(["Organic Laboratory", "Analytical Laboratory"]) + chemistryOffices
            ),
            (
                1...3,
                [
                    hall(nil, [box(-25, -1.5, 25, 1.5)]),
                    room("803", -3, -17, 3, -1.5, door: (0, -1.5), named: "Meeting Room"),
                ] + laboratories(["Laboratory West", "Laboratory East"]) + chemistryOffices
            ),
        ],
        entrances: [.init((-275, -212), levelEntrance), .init((-300, -229), stepsEntrance)])

    private static func laboratories(_ names: [String]) -> [FloorPlans.Space] {
        [
            room("801", -25, -17, -14, -1.5, door: (-18, -1.5), named: names[0], kind: "laboratory"),
            room("802", -14, -17, -3, -1.5, door: (-8, -1.5), kind: "laboratory"),
            room("804", 3, -17, 12, -1.5, door: (7, -1.5), named: names[1], kind: "laboratory"),
            room("805", 12, -17, 20, -1.5, door: (16, -1.5), kind: "laboratory"),
        ]
    }

    private static let chemistryOffices: [FloorPlans.Space] = [
        room("811", -20, 1.5, -11.5, 17, door: (-16, 1.5)), room("812", -11.5, 1.5, -3, 17, door: (-7, 1.5)),
        room("813", 0, 1.5, 12.5, 17, door: (6, 1.5)),
        room("814", 12.5, 1.5, 25, 17, door: (18, 1.5), named: "Toilets", kind: "toilets"),
    ]

    /// Eleven levels with two lifts side by side. Lift 2 ends on level 6.
    static let mathematicsTower = FloorPlans(
        building: "Mathematics Tower", number: "5301", middle: (-22, -105),
        shafts: [
            lift("Lift 1", 0...10, box(2, -3, 5, 0), door: (2, -1.5)),
            lift("Lift 2", 0...6, box(2, 0, 5, 3), door: (2, 1.5)),
            stairs("Stairs", 0...10, box(-8, 2, -2, 7), door: (-2, 4.5)),
        ],
        floors: [
            (
                0...0,
                [
                    hall("Lobby", [box(-2, -17, 2, 17)]),
                    hall("West hall", [box(-17, -2, -2, 2)], openings: [(-2, 0)]),
                ] + towerRooms(["Lecture Room", "Porter", "Computer Room", nil])
            ),
            (
                1...10,
                [
                    hall(nil, [box(-2, -17, 2, 17)]),
                    room("05", -17, -2, -2, 2, door: (-2, 0), named: "Kitchen", kind: "kitchen"),
                ] + towerRooms([nil, nil, "Seminar Room", nil])
            ),
        ],
        entrances: [.init((-22, -88), levelEntrance), .init((-39, -105), stepsEntrance)])

    private static func towerRooms(_ names: [String?]) -> [FloorPlans.Space] {
        [
            room("01", -17, -17, -2, -2, door: (-2, -8), named: names[0]),
            room("02", -17, 7, -2, 17, door: (-2, 12), named: names[1]),
            room("03", 2, -17, 17, -3, door: (2, -10), named: names[2]),
            room("04", 2, 3, 17, 17, door: (2, 10), named: names[3]),
        ]
    }
}
