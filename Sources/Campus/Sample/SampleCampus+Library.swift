extension SampleCampus {
    /// Five levels around a court, and stacks below. Lift A alone leads to the stacks.
    static let weaverLibrary: FloorPlans = {
        let ring = [box(-14.7, -15.6, 14.7, 15.6), box(-11.7, -12.6, 11.7, 12.6)]
        return FloorPlans(
            building: "Weaver Library", number: "2103", middle: (-20, 150),
            shafts: [
                lift("Lift A", -1...4, box(-14.7, -18.6, -11.7, -15.6), door: (-13.2, -15.6)),
                lift("Lift B", 0...4, box(11.7, 15.6, 14.7, 18.6), door: (13.2, 15.6)),
                stairs("North-west stairs", -1...4, box(-26, 6, -14.7, 11), door: (-14.7, 8.5)),
                stairs("South-east stairs", 0...4, box(14.7, -11, 26, -6), door: (14.7, -8.5)),
            ],
            floors: [
                (
                    -1...(-1),
                    [hall("Stacks corridor", ring)]
                        + libraryRooms(["Rare Books", nil, "Bindery", nil, "Map Stacks", "Journal Stacks"])
                ),
                (
                    0...0,
                    [
                        hall("Ring corridor", ring, openings: [(0, -15.6), (0, 15.6)]),
                        hall("South hall", [box(-4, -28, 4, -15.6)]), hall("North hall", [box(-4, 15.6, 4, 28)]),
                    ] + libraryRooms(["Loans Desk", nil, "Newspaper Room", "Exhibition Room", nil, "Copy Shop"])
                        + libraryEnds
                ),
                (
                    1...1,
                    [hall("Ring corridor", ring)]
                        + libraryRooms(["Reading Room West", nil, nil, "Reading Room East", "Group Study 1", nil])
                        + libraryEnds + libraryMiddles("Group Study 2", "Group Study 3")
                ),
                (
                    2...3,
                    [hall("Ring corridor", ring)] + libraryRooms([]) + libraryEnds + libraryMiddles(nil, nil)
                ),
                (
                    4...4,
                    [hall("Ring corridor", ring)]
                        + libraryRooms(["Special Collections", nil, nil, "Silent Reading Room", nil, "Music Library"])
                        + libraryEnds + libraryMiddles("Director's Office", "Roof Reading Room")
                ),
            ],
            entrances: [
                .init(
                    (-20, 122),
                    ["entrance": "main", "door": "hinged", "level": "0", "name": "Bell Walk", "wheelchair": "no"]),
                .init(
                    (-20, 178),
                    ["entrance": "yes", "door": "sliding", "level": "0", "width": "1.6", "wheelchair": "yes"]),
            ])
    }()

    /// The rooms of the western and the eastern wing.
    private static func libraryRooms(_ names: [String?]) -> [FloorPlans.Space] {
        func name(_ index: Int) -> String? { names.indices.contains(index) ? names[index] : nil }
        return [
            room("101", -26, -28, -14.7, -6, door: (-14.7, -10), named: name(0)),
            room("102", -26, -6, -14.7, 6, door: (-14.7, 0), named: name(1)),
            room("103", -26, 11, -14.7, 28, door: (-14.7, 13), named: name(2)),
            room("104", 14.7, 6, 26, 28, door: (14.7, 10), named: name(3)),
            room("105", 14.7, -6, 26, 6, door: (14.7, 0), named: name(4)),
            room("106", 14.7, -28, 26, -11, door: (14.7, -13), named: name(5)),
        ]
    }

    /// The rooms beside the halls.
    private static let libraryEnds: [FloorPlans.Space] = [
        room("201", -11.7, -28, -4, -15.6, door: (-8, -15.6)),
        room("202", 4, -28, 14.7, -15.6, door: (9, -15.6), named: "Toilets", kind: "toilets"),
        room("203", -14.7, 15.6, -4, 28, door: (-9, 15.6)), room("204", 4, 15.6, 11.7, 28, door: (8, 15.6)),
    ]

    /// The rooms above the halls.
    private static func libraryMiddles(_ south: String?, _ north: String?) -> [FloorPlans.Space] {
        [
            room("205", -4, -28, 4, -15.6, door: (0, -15.6), named: south),
            room("206", -4, 15.6, 4, 28, door: (0, 15.6), named: north),
        ]
    }
}
