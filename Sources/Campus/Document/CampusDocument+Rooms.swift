extension CampusDocument {
    /// Details of a building, room or place besides its name and position.
    public struct Listing: Codable, Sendable, Equatable {
        /// The code on the door or the map: `5508.02.801`, `APB`.
        public var code: String?
        /// Further names in any language, each once, at most ``otherNamesMax``.
        public var otherNames: [String]
        /// The level as Simple Indoor Tagging writes it: `0`, `-1`, `0.5`. Nil if unknown.
        public var level: String?
        /// The value of OpenStreetMap's `opening_hours`, as the source has it.
        public var openingHours: String?
        /// An address that begins with `http://` or `https://`.
        public var website: String?
        public var phone: String?

        public init(
            code: String? = nil, otherNames: [String] = [], level: String? = nil, openingHours: String? = nil,
            website: String? = nil, phone: String? = nil
        ) {
            self.code = code
            self.otherNames = otherNames
            self.level = level
            self.openingHours = openingHours
            self.website = website
            self.phone = phone
        }

        /// Maximum number of further names of one object; an import leaves the others out.
        public static let otherNamesMax = 100
        /// Maximum length of opening hours, in characters: OpenStreetMap's own limit for a value.
        public static let openingHoursCharactersMax = 255
        /// Maximum length of a website's address, in characters.
        public static let websiteCharactersMax = 255
        /// Maximum length of a telephone number, in characters.
        public static let phoneCharactersMax = 100
        /// Maximum length of a code, in characters.
        public static let codeCharactersMax = 60
    }

    /// An entrance of a building.
    public struct Entrance: Codable, Sendable, Equatable {
        /// The name or the number at the door.
        public var name: String?
        public var point: GeoPoint
        /// The level as Simple Indoor Tagging writes it; nil if unknown.
        public var level: String?
        /// The `wheelchair` tag, if given.
        public var wheelchair: WheelchairAccess?

        public init(
            name: String? = nil, point: GeoPoint, level: String? = nil, wheelchair: WheelchairAccess? = nil
        ) {
            self.name = name
            self.point = point
            self.level = level
            self.wheelchair = wheelchair
        }
    }

    /// Maximum number of entrances of one building; an import leaves the others out.
    public static let entrancesMax = 60

    /// A room with a name, a code or a purpose.
    public struct Room: Codable, Sendable, Equatable {
        /// The stable id in the source.
        public var sourceID: String
        public var name: String?
        /// The source's own term: `class`, `office`, `toilets`; else `room`, `area` or `corridor`.
        public var kind: String
        /// A position inside the room.
        public var point: GeoPoint
        /// The outline; empty if the source has only a point.
        public var polygons: [GeoPolygon]
        /// The source id of the smallest building around ``point``.
        public var building: String?
        /// The `wheelchair` tag, if given.
        public var wheelchair: WheelchairAccess?
        public var listing: Listing

        public init(
            sourceID: String, name: String? = nil, kind: String = "room", point: GeoPoint, polygons: [GeoPolygon] = [],
            building: String? = nil, wheelchair: WheelchairAccess? = nil, listing: Listing = Listing()
        ) {
            self.sourceID = sourceID
            self.name = name
            self.kind = kind
            self.point = point
            self.polygons = polygons
            self.building = building
            self.wheelchair = wheelchair
            self.listing = listing
        }
    }

    /// Sets ``Room/building`` of all rooms.
    public mutating func assignRoomsToBuildings() {
        let buildings = buildings.map { building in
            (
                building, box: GeoBox(around: building.polygons.flatMap(\.outer)),
                area: building.polygons.reduce(0) { $0 + $1.areaSquareMetres }
            )
        }.sorted { ($0.area, $0.0.sourceID) < ($1.area, $1.0.sourceID) }
        for index in rooms.indices {
            let point = rooms[index].point
            rooms[index].building =
                buildings.first { building in
                    building.box?.contains(point) == true && building.0.polygons.contains { $0.contains(point) }
                }?.0.sourceID
        }
    }
}
