import Foundation

extension CampusDocument {
    /// Maximum length of a zone's ref, in characters.
    public static let zoneRefCharactersMax = 32
    /// Maximum length of any name on the campus, in characters; an import truncates longer ones.
    public static let nameCharactersMax = 200

    /// Creates a document with the zones of a GeoJSON feature collection.
    ///
    /// A zone is a `Polygon` or `MultiPolygon` feature with the properties `ref` (unique, at most
    /// ``zoneRefCharactersMax`` characters) and `name` (the ref by default). Features with a `kind` other than `zone`
    /// are left out and counted. The bounds are the smallest box around all zones.
    /// - Throws: ``GeoJSONError`` with the index of the feature.
    public init(zonesGeoJSON data: Data) throws(GeoJSONError) {
        let collection = try GeoJSON.FeatureCollection(data: data)
        var zones: [ZoneDraft] = []
        var firstIndex: [String: Int] = [:]
        var counts = ImportCounts()
        for (index, feature) in collection.features.enumerated() {
            if let kind = feature.properties["kind"], kind != "zone" {
                counts.skip("other features", because: "kind is not zone")
                continue
            }
            let zone = try Self.zone(feature, index: index)
            if let first = firstIndex.updateValue(index, forKey: zone.ref) {
                throw .feature(
                    index: index,
                    reason:
                        "ref \(shown(zone.ref, scalarsMax: Self.zoneRefCharactersMax)) is already used by feature \(first): "
                        + "give each zone its own"
                )
            }
            zones.append(zone)
            counts.take("zones")
        }
        guard let bounds = GeoBox(around: zones.flatMap(\.polygons).flatMap(\.outer)) else { throw .noZones }
        self.init(name: collection.name, bounds: bounds, zones: zones, counts: counts)
    }

    private static func zone(_ feature: GeoJSON.Feature, index: Int) throws(GeoJSONError) -> ZoneDraft {
        func trimmed(_ key: String) -> String? {
            let text = feature.properties[key]?.trimmingCharacters(in: .whitespacesAndNewlines)
            return text?.isEmpty == false ? text : nil
        }
        guard let ref = trimmed("ref") else {
            throw .feature(index: index, reason: "the property ref is missing: give each zone a short unique ref")
        }
        guard ref.count <= zoneRefCharactersMax else {
            throw .feature(
                index: index, reason: "the ref is longer than \(zoneRefCharactersMax) characters: shorten it")
        }
        guard let polygons = feature.geometry?.polygons, !polygons.isEmpty else {
            throw .feature(
                index: index,
                reason:
                    "zone \(shown(ref, scalarsMax: zoneRefCharactersMax)) has no area: give a Polygon or a MultiPolygon"
            )
        }
        return ZoneDraft(ref: ref, name: String((trimmed("name") ?? ref).prefix(nameCharactersMax)), polygons: polygons)
    }
}
