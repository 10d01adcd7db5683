/// What the map says of where people live.
enum OSMResidences {
    /// Values of `building` that people live in (https://wiki.openstreetmap.org/wiki/Key:building, "Accommodation"); hotels are not homes.
    static let buildings: Set<String> = [
        "apartments", "barracks", "bungalow", "cabin", "detached", "dormitory", "farm", "ger", "hall_of_residence",
        "house",
        "houseboat", "residential", "semi", "semidetached_house", "static_caravan", "stilt_house", "terrace",
        "terraced",
        "tree_house", "trullo",
    ]

    /// Whether a building's tags say that people live there; a university marks its halls in more than one way.
    static func isResidence(building tags: [String: String]) -> Bool {
        if let value = tags["building"], buildings.contains(value) { return true }
        if tags["building:use"] == "residential" || tags["residential"] == "university" { return true }
        return ["dormitory", "student_accommodation"].contains(tags["amenity"] ?? "")
    }

    /// Buildings of which no more is said than that they are some are homes where the land is for homes (`landuse=residential`).
    /// O(buildings x quarters).
    static func marked(
        _ buildings: [CampusDocument.Building], plain: Set<String>, objects: [OSMObject], geometries: OSMGeometries
    ) -> [CampusDocument.Building] {
        let quarters = objects.filter { $0.kind != .node && $0.tags["landuse"] == "residential" }
            .flatMap { geometries.polygons($0) ?? [] }
        guard !quarters.isEmpty else { return buildings }
        return buildings.map { building in
            guard !building.isResidence, plain.contains(building.sourceID),
                let middle = building.polygons.first?.box.centre, quarters.contains(where: { $0.contains(middle) })
            else { return building }
            var home = building
            home.isResidence = true
            return home
        }
    }
}
