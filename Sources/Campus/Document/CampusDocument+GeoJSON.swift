import Foundation

extension CampusDocument {
    /// Maximum length of a zone's ref, in characters.
    public static let zoneRefCharactersMax = 32
    /// Maximum length of any name on the campus, in characters; an import truncates longer ones.
    public static let nameCharactersMax = 200

    /// Creates a document with the zones and the network of a GeoJSON feature collection.
    ///
    /// A zone is a `Polygon` or `MultiPolygon` feature with the properties `ref` (unique, at most
    /// ``zoneRefCharactersMax`` characters) and `name` (the ref by default). A feature that is tagged as OpenStreetMap tags
    /// paths, buildings, rooms, doors or places (``GeoJSONNetwork/keys``) belongs to the network instead, unless its `kind`
    /// is `zone`. Other features with another `kind` are left out and counted. The bounds are the smallest box around
    /// everything.
    /// - Throws: ``GeoJSONError`` with the index of the feature.
    public init(zonesGeoJSON data: Data) throws(GeoJSONError) {
        let collection = try GeoJSON.FeatureCollection(data: data)
        var zones: [ZoneDraft] = []
        var network = GeoJSONNetwork()
        var firstIndex: [String: Int] = [:]
        var counts = ImportCounts()
        for (index, feature) in collection.features.enumerated() {
            let kind = feature.properties["kind"]
            if kind != "zone", network.add(feature, index: index) { continue }
            if let kind, kind != "zone" {
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
        let objects = network.objects
        let corners = zones.flatMap(\.polygons).flatMap(\.outer) + objects.compactMap(\.point)
        guard let bounds = GeoBox(around: corners) else { throw .noZones }
        self.init(name: collection.name, bounds: bounds, zones: zones, network: objects, counts: counts)
        network.campus.fill(&self, objects: objects)
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
