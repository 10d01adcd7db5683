/// How many people are in a cell of the heatmap, about (N-1.6).
public struct HeatCell: Codable, Sendable, Equatable {
    /// Column of the cell at zoom 19 in the tile scheme of web maps.
    public var x: UInt32
    /// Row.
    public var y: UInt32
    /// A multiple of 5, at least 10: about so many people.
    public var people: Int
    public init(x: UInt32, y: UInt32, people: Int) {
        self.x = x
        self.y = y
        self.people = people
    }
    /// Reads the wire form, `[x, y, people]`.
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        x = try container.decode(UInt32.self)
        y = try container.decode(UInt32.self)
        people = try container.decode(Int.self)
    }
    /// Writes the wire form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(x)
        try container.encode(y)
        try container.encode(people)
    }
}

/// The snapshot of `heatmap`, and what is pushed there once every 30 seconds when it changed. Each is all of it.
public struct HeatmapUpdate: Codable, Sendable, Equatable {
    /// Always `heatmap`.
    public var type = "heatmap"
    /// The server's clock when people were counted.
    public var serverTime: Timestamp
    /// The cells' zoom.
    public var zoom: UInt8
    /// Fewer people than this are shown nowhere.
    public var peopleMin: Int
    /// Cells with people; all others show nothing.
    public var cells: [HeatCell]
    public init(serverTime: Timestamp, zoom: UInt8, peopleMin: Int, cells: [HeatCell]) {
        self.serverTime = serverTime
        self.zoom = zoom
        self.peopleMin = peopleMin
        self.cells = cells
    }
}

/// `heatmap.along`: how many people are along a route.
public enum HeatmapAlong: RPCMethod {
    public static let name = "heatmap.along"
    public static let access = MethodAccess.everybody
    /// A route.
    public struct Params: Codable, Sendable {
        /// 2 to 2,000 positions, in order, at most 50 km and 2,500 edges of cells, none beyond 80° north or south.
        public var route: [LatLon]
        public init(route: [LatLon]) { self.route = route }
    }
    /// A part of the route along which the cells show the same.
    public struct Part: Codable, Sendable, Equatable {
        /// Metres from the beginning of the route.
        public var from: Double
        /// Metres from the beginning of the route.
        public var to: Double
        /// About so many people are in each of its cells; 0 where nothing is shown.
        public var people: Int
        public init(from: Double, to: Double, people: Int) {
            self.from = from
            self.to = to
            self.people = people
        }
    }
    /// The route in parts.
    public struct Result: Codable, Sendable {
        /// When people were counted.
        public var serverTime: Timestamp
        /// In order, without gaps.
        public var parts: [Part]
        public init(serverTime: Timestamp, parts: [Part]) {
            self.serverTime = serverTime
            self.parts = parts
        }
    }
}
