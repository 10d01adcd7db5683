/// A campus as an import or the sample makes it: what goes into the database, keyed so that importing the same source
/// again updates in place.
///
/// Source ids are stable: `way/123`, `relation/45`, `node/6` from OpenStreetMap, `sample/…` for the sample campus. Every
/// list is ordered by source, so the same file gives the same document.
public struct CampusDocument: Codable, Sendable, Equatable {
    /// What the campus is called, when the source says so.
    public var name: String?
    /// Where the data comes from and its licence, to be shown on the map ("© OpenStreetMap contributors, ODbL 1.0").
    public var attribution: String?
    /// What the map shows first.
    public var bounds: GeoBox
    /// The zones, refs unique.
    public var zones: [ZoneDraft]
    /// Buildings.
    public var buildings: [Building]
    /// Ways one can go along.
    public var ways: [Way]
    /// Places with a position: shops, lifts, stops.
    public var places: [Place]
    /// Surfaces that are only drawn.
    public var areas: [Area]
    /// What was read beside what was left out, and why.
    public var counts: ImportCounts

    /// A document from its parts.
    public init(
        name: String? = nil, attribution: String? = nil, bounds: GeoBox, zones: [ZoneDraft] = [],
        buildings: [Building] = [], ways: [Way] = [], places: [Place] = [], areas: [Area] = [],
        counts: ImportCounts = ImportCounts()
    ) {
        self.name = name
        self.attribution = attribution
        self.bounds = bounds
        self.zones = zones
        self.buildings = buildings
        self.ways = ways
        self.places = places
        self.areas = areas
        self.counts = counts
    }

    /// Metres that a campus is wide and high at most. What spans more is a country, or has an object across the 180th meridian.
    public static let sideMetresMax = 100_000.0

    /// Why a document cannot be a campus: nil when it can.
    public var extentTrouble: String? {
        let (width, height) = (bounds.widthMetres, bounds.heightMetres)
        // Across more than half of the globe the way round the other side is shorter.
        let isWide = bounds.east - bounds.west >= 180
        guard isWide || width > Self.sideMetresMax || height > Self.sideMetresMax else { return nil }
        let size =
            isWide
            ? "spans \(Int(bounds.east - bounds.west)) degrees" : "is \(Int(width / 1000)) by \(Int(height / 1000)) km"
        return "it \(size), and a campus at most \(Int(Self.sideMetresMax / 1000)) km: cut it to the campus"
            + (isWide ? ", on one side of the 180th meridian" : "")
    }

    /// The category of zones that are squares laid over the bounds, for want of named areas.
    static let gridCategory = "zones from a grid"
    /// The category of zones that are the source's named areas.
    static let namedCategory = "zones from named areas"

    /// The zones are squares that the import has laid over the bounds, for want of named areas.
    public var hasGridOfZones: Bool { counts[Self.gridCategory]?.imported ?? 0 > 0 }

    /// Takes the zones of another document in the place of its own, with what was counted of them.
    public mutating func takeZones(of other: CampusDocument) {
        zones = other.zones
        bounds = bounds.union(other.bounds)
        for category in [Self.gridCategory, Self.namedCategory] { counts.remove(category) }
        counts.add(other.counts)
    }

    /// A building.
    public struct Building: Codable, Sendable, Equatable {
        /// The stable id in the source.
        public var sourceID: String
        /// The name, when it has one.
        public var name: String?
        /// The outline, at least one polygon.
        public var polygons: [GeoPolygon]
        /// Storeys above ground (`building:levels`); nil when unknown.
        public var levels: Int?
        /// People live there.
        public var isResidence: Bool

        /// A building from its parts.
        public init(
            sourceID: String, name: String? = nil, polygons: [GeoPolygon], levels: Int? = nil,
            isResidence: Bool = false
        ) {
            self.sourceID = sourceID
            self.name = name
            self.polygons = polygons
            self.levels = levels
            self.isResidence = isResidence
        }
    }

    /// What kind of way it is. The raw values are stored.
    public enum WayKind: String, Codable, Sendable, CaseIterable {
        /// A way for people on foot (`highway=footway`).
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

    /// Whether wheels get along (the `wheelchair` tag). The raw values are stored.
    public enum WheelchairAccess: String, Codable, Sendable, CaseIterable {
        /// Fully.
        case yes
        /// In part or with help.
        case limited
        /// Not at all.
        case no
    }

    /// A way one can go along.
    public struct Way: Codable, Sendable, Equatable {
        /// The stable id in the source.
        public var sourceID: String
        /// What it is.
        public var kind: WayKind
        /// The name, when it has one.
        public var name: String?
        /// The course, at least two positions. For an area (a square) its closed outline.
        public var line: [GeoPoint]
        /// Whether the way is the outline of an area one can cross.
        public var isArea: Bool
        /// Whether it has no steps: false for steps without a ramp and ways tagged `wheelchair=no`.
        public var isStepFree: Bool
        /// The `wheelchair` tag, when given.
        public var wheelchair: WheelchairAccess?
        /// Whether people on foot may use it: false where `foot=no` or on motorways.
        public var isWalkable: Bool

        /// A way from its parts.
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

    /// A place with a position.
    public struct Place: Codable, Sendable, Equatable {
        /// The stable id in the source.
        public var sourceID: String
        /// The name; a lift may have none.
        public var name: String?
        /// What it is: `lift`, or the source's own word (`cafe`, `library`, `books`, `bus_stop`).
        public var kind: String
        /// Where; the middle of its box when the source draws it as an area.
        public var point: GeoPoint
        /// The `wheelchair` tag, when given.
        public var wheelchair: WheelchairAccess?

        /// A place from its parts.
        public init(
            sourceID: String, name: String?, kind: String, point: GeoPoint, wheelchair: WheelchairAccess? = nil
        ) {
            self.sourceID = sourceID
            self.name = name
            self.kind = kind
            self.point = point
            self.wheelchair = wheelchair
        }
    }

    /// What a drawn surface is. The raw values are stored.
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
        /// What it is.
        public var kind: AreaKind
        /// The name, when it has one.
        public var name: String?
        /// The outline, at least one polygon.
        public var polygons: [GeoPolygon]

        /// An area from its parts.
        public init(sourceID: String, kind: AreaKind, name: String? = nil, polygons: [GeoPolygon]) {
            self.sourceID = sourceID
            self.kind = kind
            self.name = name
            self.polygons = polygons
        }
    }
}
