import Foundation

extension CampusDocument.Listing {
    /// Keys of further names, in the order in which a list shows them.
    private static let nameKeys = ["official_name", "alt_name", "short_name", "loc_name", "int_name", "old_name"]
    /// Beginnings of the keys of names in other languages.
    private static let translatedKeys = ["name:", "official_name:", "alt_name:", "short_name:"]

    /// Reads the tags of an OpenStreetMap object. Values that are too long or no valid address are left out.
    /// - Parameter name: The object's name, which is not repeated among the others.
    init(tags: [String: String], name: String?) {
        func value(_ keys: String..., max: Int) -> String? {
            keys.lazy.compactMap { tags[$0].flatMap { Self.line($0, max: max) } }.first
        }
        let translated = tags.keys.filter { key in Self.translatedKeys.contains { key.hasPrefix($0) } }.sorted()
        var seen: Set<String> = name.map { [$0] } ?? []
        var others: [String] = []
        for key in Self.nameKeys + translated + ["loc_ref"] where others.count < Self.otherNamesMax {
            for part in (tags[key] ?? "").split(separator: ";") {
                guard let other = Self.line(part, max: CampusDocument.nameCharactersMax),
                    seen.insert(other).inserted, others.count < Self.otherNamesMax
                else { continue }
                others.append(other)
            }
        }
        let code = value("ref", "loc_ref", max: Self.codeCharactersMax)
        self.init(
            code: code == name ? nil : code, otherNames: others.filter { $0 != code },
            level: tags["level"].flatMap(Self.level),
            openingHours: value("opening_hours", max: Self.openingHoursCharactersMax),
            website: value("website", "contact:website", "url", max: Self.websiteCharactersMax)
                .flatMap { Self.isWebAddress($0) ? $0 : nil },
            phone: value("phone", "contact:phone", max: Self.phoneCharactersMax))
    }

    /// Whether a text is an address that a page may link to.
    public static func isWebAddress(_ text: String) -> Bool {
        guard text.hasPrefix("https://") || text.hasPrefix("http://"),
            text.unicodeScalars.allSatisfy({
                $0.value > 0x20 && $0.value != 0x7F && !"\"<>\\^`{|}".unicodeScalars.contains($0)
            }),
            let host = URLComponents(string: text)?.host
        else { return false }
        return host.split(separator: ".", omittingEmptySubsequences: false).count > 1 && !host.hasPrefix(".")
            && !host.hasSuffix(".")
    }

    /// A trimmed line; nil if it is empty, too long or has control characters.
    private static func line(_ text: some StringProtocol, max: Int) -> String? {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard (1...max).contains(text.count), text.unicodeScalars.count <= 4 * max,
            !text.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
        else { return nil }
        return text
    }

    /// Names of the ground floor in English and German.
    private static let groundNames: Set = ["G", "GF", "EG"]

    /// The first level of a `level` tag (`0`, `0;2`, `-1-3`, `0,5`, `GF`); nil if it is none.
    static func level(_ tag: String) -> String? {
        let first = tag.split(separator: ";").first?.trimmingCharacters(in: .whitespaces) ?? ""
        if groundNames.contains(first.uppercased()) { return "0" }
        guard let match = first.prefixMatch(of: /([+-]?[0-9]{1,3})(?:[.,]([0-9]{1,3}))?(?:\s*-\s*[+-]?[0-9.,]+)?/),
            match.0.endIndex == first.endIndex, let whole = Int(match.1), (-200...300).contains(whole)
        else { return nil }
        let digits = String(match.2 ?? "").replacing(/0+$/, with: "")
        let sign = match.1.hasPrefix("-") && (whole != 0 || !digits.isEmpty) ? "-" : ""
        return sign + "\(abs(whole))" + (digits.isEmpty ? "" : ".\(digits)")
    }
}

/// Sorts indoor objects into rooms.
enum OSMRooms {
    /// Values of `room` that are no place to go to.
    private static let passages: Set = ["stairs", "elevator", "lift", "shaft", "wall", "escalator"]

    /// The room that an object is; nil for other objects and for rooms without a name, a code or a purpose.
    static func room(_ object: OSMObject, _ geometries: OSMGeometries) -> CampusDocument.Room? {
        let tags = object.tags
        let indoor = tags["indoor"]
        guard indoor.map({ ["room", "area", "corridor"].contains($0) }) ?? (tags["room"] != nil),
            tags["highway"] != "elevator", !passages.contains(tags["room"] ?? ""), tags["stairs"] != "yes"
        else { return nil }
        let listing = CampusDocument.Listing(tags: tags, name: object.name)
        let purpose = tags["room"] ?? tags["amenity"] ?? tags["shop"] ?? tags["office"].map { _ in "office" }
        guard object.name != nil || listing.code != nil || !listing.otherNames.isEmpty || purpose == "toilets" else {
            return nil
        }
        let polygons = geometries.polygons(object) ?? []
        guard let point = polygons.first?.innerPoint ?? geometries.point(object) else { return nil }
        let kind = purpose.map { $0 == "yes" ? "room" : $0 } ?? indoor ?? "room"
        return .init(
            sourceID: object.sourceID, name: object.name, kind: String(kind.prefix(60)), point: point,
            polygons: polygons, wheelchair: object.wheelchair, listing: listing)
    }
}

extension OSMRooms {
    /// The entrance that an object is; nil for other objects and for emergency exits.
    static func entrance(_ object: OSMObject) -> CampusDocument.Entrance? {
        guard object.kind == .node, let value = object.tags["entrance"], !["no", "emergency", "exit"].contains(value),
            let point = object.point
        else { return nil }
        return .init(
            name: object.name ?? object.number, point: point,
            level: object.tags["level"].flatMap(CampusDocument.Listing.level), wheelchair: object.wheelchair)
    }

    /// Buildings with the entrances that are corners of their outline, which a node of both is.
    static func buildings(
        _ buildings: [CampusDocument.Building], with entrances: [CampusDocument.Entrance]
    ) -> [CampusDocument.Building] {
        let known = Dictionary(grouping: entrances, by: \.point)
        guard !known.isEmpty else { return buildings }
        return buildings.map { building in
            var building = building
            var seen: Set<GeoPoint> = []
            for point in building.polygons.flatMap({ [$0.outer] + $0.holes }).joined()
            where seen.insert(point).inserted && building.entrances.count < CampusDocument.entrancesMax {
                building.entrances += known[point] ?? []
            }
            return building
        }
    }
}

extension GeoPolygon {
    /// A position inside: the middle of the box if it is inside, else the middle of the widest part of the middle parallel.
    var innerPoint: GeoPoint {
        let centre = box.centre
        guard !contains(centre) else { return centre }
        var crossings: [Double] = []
        for ring in [outer] + holes {
            for (one, other) in zip(ring, ring.dropFirst())
            where (one.latitude > centre.latitude) != (other.latitude > centre.latitude) {
                let share = (centre.latitude - one.latitude) / (other.latitude - one.latitude)
                crossings.append(one.longitude + share * (other.longitude - one.longitude))
            }
        }
        crossings.sort()
        func width(_ first: Int) -> Double { crossings[first + 1] - crossings[first] }
        let widest = stride(from: 0, to: crossings.count - 1, by: 2).max { width($0) < width($1) }
        guard let widest else { return centre }
        return GeoPoint(trustedLatitude: centre.latitude, longitude: (crossings[widest] + crossings[widest + 1]) / 2)
    }
}
