/// Approximate number of people in one cell of the heatmap (N-1.6). The wire form is `[x, y, people]`.
public struct HeatCell: Codable, Sendable, Equatable {
    /// Column of the cell at zoom level 19 in the tile scheme of web maps.
    public var x: UInt32
    /// Row of the cell at zoom level 19.
    public var y: UInt32
    /// Approximate number of people: a multiple of 5, at least 10.
    public var people: Int
    public init(x: UInt32, y: UInt32, people: Int) {
        self.x = x
        self.y = y
        self.people = people
    }
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        x = try container.decode(UInt32.self)
        y = try container.decode(UInt32.self)
        people = try container.decode(Int.self)
    }
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(x)
        try container.encode(y)
        try container.encode(people)
    }
}

/// The snapshot of the topic `heatmap`, and its publication, which follows at most every 30 s after a change. Each replaces the
/// previous one entirely.
public struct HeatmapUpdate: Codable, Sendable, Equatable {
    /// Always `heatmap`.
    public var type = "heatmap"
    /// Time at which the server counted.
    public var serverTime: Timestamp
    /// Zoom level of the cells.
    public var zoom: UInt8
    /// Smallest number of people that a cell shows.
    public var peopleMin: Int
    /// Cells that show people.
    public var cells: [HeatCell]
    public init(serverTime: Timestamp, zoom: UInt8, peopleMin: Int, cells: [HeatCell]) {
        self.serverTime = serverTime
        self.zoom = zoom
        self.peopleMin = peopleMin
        self.cells = cells
    }
}

public enum HeatmapAlong: RPCMethod {
    public static let name = "heatmap.along"
    public static let summary = "Returns the approximate number of people along a route."
    public static let access = MethodAccess.everybody
    public static let limits: [MethodLimit] = [.each(.list)]
    public struct Params: Codable, Sendable {
        /// 2 to 2,000 positions in order, at most 50 km and 2,500 crossed cell edges, all between 80° south and 80° north.
        public var route: [LatLon]
        public init(route: [LatLon]) { self.route = route }
    }
    /// Part of the route along which all cells show the same number.
    public struct Part: Codable, Sendable, Equatable {
        /// Metres from the beginning of the route.
        public var from: Double
        /// Metres from the beginning of the route.
        public var to: Double
        /// Approximate number of people in each cell; 0 for cells that show nothing.
        public var people: Int
        public init(from: Double, to: Double, people: Int) {
            self.from = from
            self.to = to
            self.people = people
        }
    }
    public struct Result: Codable, Sendable {
        /// Time at which the server counted.
        public var serverTime: Timestamp
        /// In order, without gaps.
        public var parts: [Part]
        public init(serverTime: Timestamp, parts: [Part]) {
            self.serverTime = serverTime
            self.parts = parts
        }
    }
}

extension APIRegistry {
    static let heatmap: [any RPCMethod.Type] = [HeatmapAlong.self]
}
