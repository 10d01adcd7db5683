/// Chooses zones among an extract's named areas.
///
/// A good zone has a name in common use and is large enough to hold runners, and the zones together cover the used part
/// of the campus. Candidates are named grounds, parks and quarters of at least ``areaSquareMetresMin`` that take up at
/// most half of the extract. They are used only if there are at least ``zonesMin`` and they contain at least
/// ``coverMin`` of the buildings and ways inside the bounds. Otherwise a grid is used, because half a campus without
/// zones would be half a campus without live positions.
///
/// Smaller areas come first, so a park inside a quarter owns its points (the lowest id wins).
enum OSMZones {
    /// Minimum area of a zone, in square metres.
    static let areaSquareMetresMin = 10_000.0
    /// Maximum share of the extract that one zone may take up.
    static let boundsShareMax = 0.5
    /// Minimum number of zones.
    static let zonesMin = 3
    /// Minimum share of buildings and ways inside the zones.
    static let coverMin = 0.8

    /// The zones; nil if the named areas do not cover enough.
    static func named(
        objects: [OSMObject], geometries: OSMGeometries, bounds: GeoBox, landmarks: [GeoPoint]
    ) -> [ZoneDraft]? {
        let whole = bounds.widthMetres * bounds.heightMetres
        let candidates = objects.compactMap { object -> (draft: ZoneDraft, area: Double)? in
            guard object.kind != .node, isCandidate(object.tags), let name = object.name,
                let polygons = geometries.polygons(object), polygons.contains(where: { $0.box.intersects(bounds) })
            else { return nil }
            let area = polygons.reduce(0) { $0 + $1.areaSquareMetres }
            guard area >= areaSquareMetresMin, area <= whole * boundsShareMax else { return nil }
            return (
                ZoneDraft(
                    ref: object.sourceID, name: name, polygons: polygons,
                    isResidence: object.tags["landuse"] == "residential"), area
            )
        }
        let inside = landmarks.filter(bounds.contains)
        guard candidates.count >= zonesMin, !inside.isEmpty else { return nil }
        let covered = inside.count { point in
            candidates.contains { $0.draft.polygons.contains { $0.contains(point) } }
        }
        guard Double(covered) >= coverMin * Double(inside.count) else { return nil }
        return candidates.sorted { ($0.area, $0.draft.ref) < ($1.area, $1.draft.ref) }.map(\.draft)
    }

    private static func isCandidate(_ tags: [String: String]) -> Bool {
        if tags["building"] != nil, tags["building"] != "no" { return false }
        if let amenity = tags["amenity"], ["university", "college", "school", "hospital"].contains(amenity) {
            return true
        }
        if let leisure = tags["leisure"], ["park", "sports_centre", "stadium", "nature_reserve"].contains(leisure) {
            return true
        }
        if let place = tags["place"], ["neighbourhood", "quarter", "suburb", "city_block", "square"].contains(place) {
            return true
        }
        return tags["landuse"] != nil
    }
}
