/// The content of a campus, as an import or the sample produces it. Its keys are stable, so that importing the same
/// source again updates the database in place.
///
/// Source ids are stable: `way/123`, `relation/45`, `node/6` from OpenStreetMap, `sample/…` for the sample campus.
/// Every list is ordered by source, so the same file yields the same document.
public struct CampusDocument: Codable, Sendable, Equatable {
    /// The campus's name, if the source contains one.
    public var name: String?
    /// Origin and licence of the data, to be shown on the map ("© OpenStreetMap contributors, ODbL 1.0").
    public var attribution: String?
    /// The area that a map shows first.
    public var bounds: GeoBox
    /// The zones; each `ref` is unique.
    public var zones: [ZoneDraft]
    public var buildings: [Building]
    /// Paths and roads.
    public var ways: [Way]
    /// Points of interest: shops, lifts, stops.
    public var places: [Place]
    /// Surfaces that are only drawn.
    public var areas: [Area]
    /// Rooms that people search for.
    public var rooms: [Room]
    /// The objects of routes: tagged ones with their nodes and members. Empty if the source has none.
    public var network: [OSMObject]
    /// Numbers of imported and omitted objects, with reasons.
    public var counts: ImportCounts

    public init(
        name: String? = nil, attribution: String? = nil, bounds: GeoBox, zones: [ZoneDraft] = [],
        buildings: [Building] = [], ways: [Way] = [], places: [Place] = [], areas: [Area] = [], rooms: [Room] = [],
        network: [OSMObject] = [], counts: ImportCounts = ImportCounts()
    ) {
        self.name = name
        self.attribution = attribution
        self.bounds = bounds
        self.zones = zones
        self.buildings = buildings
        self.ways = ways
        self.places = places
        self.areas = areas
        self.rooms = rooms
        self.network = network
        self.counts = counts
    }

    /// Decodes a document. Those of earlier releases have neither rooms nor a network.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.decodeIfPresent(String.self, forKey: .name)
        attribution = try values.decodeIfPresent(String.self, forKey: .attribution)
        bounds = try values.decode(GeoBox.self, forKey: .bounds)
        zones = try values.decode([ZoneDraft].self, forKey: .zones)
        buildings = try values.decode([Building].self, forKey: .buildings)
        ways = try values.decode([Way].self, forKey: .ways)
        places = try values.decode([Place].self, forKey: .places)
        areas = try values.decode([Area].self, forKey: .areas)
        rooms = try values.decodeIfPresent([Room].self, forKey: .rooms) ?? []
        network = try values.decodeIfPresent([OSMObject].self, forKey: .network) ?? []
        counts = try values.decode(ImportCounts.self, forKey: .counts)
    }

    /// Maximum width and height of a campus, in metres. A larger document is a country, or has an object across the
    /// 180th meridian.
    public static let sideMetresMax = 100_000.0

    /// A message if the document's extent is too large for a campus; nil if it is not.
    public var extentTrouble: String? {
        let (width, height) = (bounds.widthMetres, bounds.heightMetres)
        // Beyond 180 degrees `widthMetres` is unusable: the shorter way leads around the other side of the globe.
        let isWide = bounds.east - bounds.west >= 180
        guard isWide || width > Self.sideMetresMax || height > Self.sideMetresMax else { return nil }
        let size =
            isWide
            ? "spans \(Int(bounds.east - bounds.west)) degrees" : "is \(Int(width / 1000)) by \(Int(height / 1000)) km"
        return "it \(size), and a campus at most \(Int(Self.sideMetresMax / 1000)) km: cut it to the campus"
            + (isWide ? ", on one side of the 180th meridian" : "")
    }

    /// Import category of zones that are grid squares, used if the source names no areas.
    static let gridCategory = "zones from a grid"
    /// Import category of zones that are the source's named areas.
    static let namedCategory = "zones from named areas"

    /// True if the zones are squares that the import has laid over the bounds, because the source names no areas.
    public var hasGridOfZones: Bool { counts[Self.gridCategory]?.imported ?? 0 > 0 }

    /// Replaces the zones and their counts by those of another document, if it has any, and adds its network.
    public mutating func takeZones(of other: CampusDocument) {
        network = Self.joining(network, other.network)
        guard !other.zones.isEmpty else { return }
        zones = other.zones
        bounds = bounds.union(other.bounds)
        for category in [Self.gridCategory, Self.namedCategory] { counts.remove(category) }
        counts.add(other.counts)
    }

    public struct Building: Codable, Sendable, Equatable {
        /// The stable id in the source.
        public var sourceID: String
        public var name: String?
        /// The outline, at least one polygon.
        public var polygons: [GeoPolygon]
        /// Storeys above ground (`building:levels`); nil if unknown.
        public var levels: Int?
        /// True if people live in the building.
        public var isResidence: Bool
        /// The `wheelchair` tag, if given.
        public var wheelchair: WheelchairAccess?
        public var listing: Listing
        public var entrances: [Entrance] = []

        public init(
            sourceID: String, name: String? = nil, polygons: [GeoPolygon], levels: Int? = nil,
            isResidence: Bool = false, wheelchair: WheelchairAccess? = nil, listing: Listing = Listing()
        ) {
            self.sourceID = sourceID
            self.name = name
            self.polygons = polygons
            self.levels = levels
            self.isResidence = isResidence
            self.wheelchair = wheelchair
            self.listing = listing
        }
    }

    /// The kind of a way. The raw values are stored.
    public enum WayKind: String, Codable, Sendable, CaseIterable {
        /// A way for pedestrians (`highway=footway`).
        case footway
        /// A flight of steps (`highway=steps`).
        case steps
        /// An unspecified path (`highway=path`, `bridleway`).
        case path
        /// A way for bicycles (`highway=cycleway`).
        case cycleway
        /// A pedestrian street or square (`highway=pedestrian`).
        case pedestrian
        /// A service road or track (`highway=service`, `track`, `living_street`).
        case service
        /// Any other road for motor traffic.
        case road
    }

    /// Wheelchair accessibility (the `wheelchair` tag). The raw values are stored.
    public enum WheelchairAccess: String, Codable, Sendable, CaseIterable {
        /// Fully accessible.
        case yes
        /// Partly accessible, or with help.
        case limited
        /// Not accessible.
        case no
    }

    /// A path or road.
    public struct Way: Codable, Sendable, Equatable {
        /// The stable id in the source.
        public var sourceID: String
        public var kind: WayKind
        public var name: String?
        /// The course, at least two positions. For an area (a square), its closed outline.
        public var line: [GeoPoint]
        /// True if the line is the outline of an area that one can cross.
        public var isArea: Bool
        /// False for steps without a ramp and ways tagged `wheelchair=no`.
        public var isStepFree: Bool
        /// The `wheelchair` tag, if given.
        public var wheelchair: WheelchairAccess?
        /// Whether pedestrians may use the way: false for `foot=no` and on motorways.
        public var isWalkable: Bool

        public init(
            sourceID: String, kind: WayKind, name: String? = nil, line: [GeoPoint], isArea: Bool = false,
            isStepFree: Bool = true, wheelchair: WheelchairAccess? = nil, isWalkable: Bool = true
        ) {
            self.sourceID = sourceID
            self.kind = kind
            self.name = name
            self.line = line
            self.isArea = isArea
            self.isStepFree = isStepFree
            self.wheelchair = wheelchair
            self.isWalkable = isWalkable
        }
    }

    /// A point of interest.
    public struct Place: Codable, Sendable, Equatable {
        /// The stable id in the source.
        public var sourceID: String
        /// The name; a lift may have none.
        public var name: String?
        /// `lift`, or the source's own term (`cafe`, `library`, `books`, `bus_stop`).
        public var kind: String
        /// The position; the middle of its box if the source draws the place as an area.
        public var point: GeoPoint
        /// The `wheelchair` tag, if given.
        public var wheelchair: WheelchairAccess?
        public var listing: Listing

        public init(
            sourceID: String, name: String?, kind: String, point: GeoPoint, wheelchair: WheelchairAccess? = nil,
            listing: Listing = Listing()
        ) {
            self.sourceID = sourceID
            self.name = name
            self.kind = kind
            self.point = point
            self.wheelchair = wheelchair
            self.listing = listing
        }
    }

    /// The kind of a drawn surface. The raw values are stored.
    public enum AreaKind: String, Codable, Sendable, CaseIterable {
        /// Lakes, ponds, rivers.
        case water
        /// Grass, parks, gardens, meadows.
        case green
        /// Trees: woods, forest, scrub.
        case wood
        /// Sports pitches and tracks.
        case pitch
        /// Car parks.
        case parking
        /// Beaches and sand.
        case sand
    }

    /// A surface that is only drawn.
    public struct Area: Codable, Sendable, Equatable {
        /// The stable id in the source.
        public var sourceID: String
        public var kind: AreaKind
        public var name: String?
        /// The outline, at least one polygon.
        public var polygons: [GeoPolygon]

        public init(sourceID: String, kind: AreaKind, name: String? = nil, polygons: [GeoPolygon]) {
            self.sourceID = sourceID
            self.kind = kind
            self.name = name
            self.polygons = polygons
        }
    }
}
