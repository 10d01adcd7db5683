extension SampleCampus {
    static let places: [CampusDocument.Place] = {
        let list: [(String?, String, Double, Double, CampusDocument.WheelchairAccess?)] = [
            ("Weaver Library", "library", -17, 146, .yes), ("Refectory", "restaurant", 172, -40, .yes),
            ("Union Coffee", "cafe", 45, 30, .yes), ("Quad Kiosk", "kiosk", -150, 12, .yes),
            ("Bookshop", "books", 75, 26, .yes), ("Museum of Bells", "museum", 60, 180, .limited),
            ("Concert Hall", "theatre", 192, 170, .yes), ("Medical Centre", "clinic", 60, -58, .yes),
            ("Boat Hire", "boat_rental", 545, -262, .no), ("West Gate", "bus_stop", -672, 52, .yes),
            ("Sports Hall", "sports_centre", -545, -190, .yes), (nil, "drinking_water", -412, -205, nil),
            (nil, "drinking_water", 255, -5, nil), (nil, "bicycle_parking", -70, 205, nil),
            (nil, "bicycle_parking", -470, 80, nil),
        ]
        let drawn = list.enumerated().map { index, entry in
            CampusDocument.Place(
                sourceID: "node/\(-index - 1)", name: entry.0, kind: entry.1, point: at(entry.2, entry.3),
                wheelchair: entry.4,
                listing: .init(tags: entry.0.flatMap { placeDetails[$0] } ?? [:], name: entry.0))
        }
        return drawn + plans.flatMap(lifts)
    }()

    private static func lifts(_ plan: FloorPlans) -> [CampusDocument.Place] {
        plan.shafts.indices.filter { plan.shafts[$0].tags["highway"] == "elevator" }.map { index in
            let (west, south) = plan.shafts[index].box[0]
            let (east, north) = plan.shafts[index].box[2]
            return .init(
                sourceID: plan.shaftID(index), name: nil, kind: "lift",
                point: at(plan.middle.0 + (west + east) / 2, plan.middle.1 + (south + north) / 2), wheelchair: .yes,
                listing: .init(level: plan.shafts[index].levels.contains(0) ? "0" : nil))
        }
    }

    /// Other names, numbers and opening hours of buildings, as OpenStreetMap tags them.
    static let details: [String: [String: String]] = [
        "Weaver Library": [
            "ref": "2103", "alt_name": "Main Library;University Library", "short_name": "Library",
            "old_name": "Reading House", "name:de": "Weberbibliothek", "name:fr": "Bibliothèque Weaver",
            "opening_hours": "Mo-Fr 08:00-22:00; Sa 09:00-18:00; Su 10:00-18:00; PH off", "wheelchair": "yes",
            "website": "https://library.bellmere.example", "phone": "+44 1632 960103",
        ],
        "Founders Hall": [
            "ref": "1101", "alt_name": "Lecture Hall Building", "short_name": "Founders", "name:de": "Gründerhalle",
            "opening_hours": "Mo-Fr 07:30-21:00; Sa 08:00-14:00", "wheelchair": "yes",
        ],
        "Chemistry Building": [
            "ref": "5508", "alt_name": "Laboratory Building", "short_name": "Chem", "old_name": "Alchemy House",
            "name:de": "Chemiegebäude", "opening_hours": "Mo-Fr 07:00-20:00", "wheelchair": "yes",
        ],
        "Mathematics Tower": [
            "ref": "5301", "alt_name": "Maths Tower;Pascal Tower", "short_name": "MT", "name:fr": "Tour Pascal",
            "opening_hours": "Mo-Fr 07:00-21:00; Sa 09:00-13:00", "wheelchair": "yes",
        ],
        "Physics Building": [
            "ref": "5401", "alt_name": "Curie Building", "short_name": "Phys", "name:pl": "Gmach Skłodowskiej-Curie",
        ],
        "Engineering Hall": ["ref": "5201", "short_name": "EH", "old_name": "Foundry"],
        "Computing Centre": ["ref": "5101", "alt_name": "IT Services", "short_name": "CC", "opening_hours": "24/7"],
        "Biology Building": ["ref": "5102", "alt_name": "Life Sciences", "short_name": "Bio"],
        "Hall of Letters": ["ref": "2101", "alt_name": "Arts Faculty", "official_name": "Faculty of Arts and Letters"],
        "Student Union": [
            "ref": "3101", "short_name": "SU", "alt_name": "Union", "opening_hours": "Mo-Su 08:00-23:00",
        ],
        "Chancery": ["ref": "1102", "alt_name": "Administration", "opening_hours": "Mo-Fr 09:00-16:00"],
        "The Campanile": ["alt_name": "Bell Tower", "name:it": "Il Campanile", "name:ja": "鐘楼"],
        "Business School": ["ref": "6101", "alt_name": "Adam Smith Building", "short_name": "BS"],
        "Visitor Centre": ["ref": "6001", "alt_name": "Information", "opening_hours": "Mo-Fr 09:00-17:00"],
        "Old Observatory": ["alt_name": "Observatory", "name:el": "Αστεροσκοπείο", "old_name": "Star House"],
        "Faculty of Law": ["ref": "2201", "short_name": "Law"],
    ]

    /// Other names and opening hours of places.
    static let placeDetails: [String: [String: String]] = [
        "Weaver Library": [
            "level": "0", "alt_name": "Main Library;University Library", "short_name": "Library",
            "opening_hours": "Mo-Fr 08:00-22:00; Sa 09:00-18:00; Su 10:00-18:00; PH off",
            "website": "https://library.bellmere.example", "phone": "+44 1632 960103",
        ],
        "Refectory": [
            "alt_name": "Mensa;Dining Hall", "short_name": "Ref", "name:fr": "Réfectoire",
            "opening_hours": "Mo-Fr 07:30-10:00,11:30-14:30,17:00-20:00; Sa-Su 11:30-14:00", "cuisine": "regional",
        ],
        "Union Coffee": [
            "alt_name": "Union Café", "loc_name": "The Bean", "opening_hours": "Mo-Fr 08:00-18:30; Sa 10:00-16:00",
            "phone": "+44 1632 960145",
        ],
        "Quad Kiosk": ["alt_name": "The Hatch", "opening_hours": "Mo-Fr 07:00-17:00"],
        "Bookshop": ["alt_name": "Bellmere Books", "opening_hours": "Mo-Sa 09:30-18:00"],
        "Museum of Bells": [
            "alt_name": "Bell Museum", "name:de": "Glockenmuseum", "opening_hours": "Tu-Su 10:00-17:00; Mo off",
            "website": "https://bells.bellmere.example",
        ],
        "Medical Centre": [
            "alt_name": "Health Centre;Doctor", "opening_hours": "Mo-Fr 08:30-17:30", "phone": "+44 1632 960160",
        ],
        "Concert Hall": ["alt_name": "Auditorium", "name:de": "Konzerthaus"],
        "Boat Hire": ["alt_name": "Rowing Boats", "opening_hours": "Apr-Oct: Sa-Su,PH 10:00-sunset"],
        "Sports Hall": ["alt_name": "Gym", "short_name": "SH", "opening_hours": "Mo-Su 06:30-22:30"],
        "West Gate": ["alt_name": "Bellmere University West"],
    ]
}
