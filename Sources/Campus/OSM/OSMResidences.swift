/// Detects residential buildings from OpenStreetMap tags.
enum OSMResidences {
    /// Residential values of `building` (https://wiki.openstreetmap.org/wiki/Key:building, "Accommodation"); hotels are
    /// not included.
    static let buildings: Set<String> = [
        "apartments", "barracks", "bungalow", "cabin", "detached", "dormitory", "farm", "ger", "hall_of_residence",
        "house",
        "houseboat", "residential", "semi", "semidetached_house", "static_caravan", "stilt_house", "terrace",
        "terraced",
        "tree_house", "trullo",
    ]

    /// Whether a building's tags mark it as residential. Universities tag their halls in several ways.
    static func isResidence(building tags: [String: String]) -> Bool {
        if let value = tags["building"], buildings.contains(value) { return true }
        if tags["building:use"] == "residential" || tags["residential"] == "university" { return true }
        return ["dormitory", "student_accommodation"].contains(tags["amenity"] ?? "")
    }

    /// Marks buildings without a specific type (`plain`) as residential if they stand on `landuse=residential`.
    /// O(buildings × quarters).
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
