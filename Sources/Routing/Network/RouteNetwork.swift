import Campus

/// The material of routes, as the source has it: tagged points, lines and areas that share points. Tags are those of
/// OpenStreetMap, so that an extract, a GeoJSON file and the sample campus are read by the same rules.
public struct RouteNetwork: Sendable, Equatable {
    /// A position on OpenStreetMap's grid of ten millionths of a degree, on which geometry is exact.
    public struct GridPoint: Sendable, Hashable {
        static let stepsPerDegree = 1e7
        public let latitude: Int32
        public let longitude: Int32

        public init(_ point: GeoPoint) {
            // A valid point is at most 180 degrees from zero, so the products fit.
            latitude = Int32((point.latitude * Self.stepsPerDegree).rounded())
            longitude = Int32((point.longitude * Self.stepsPerDegree).rounded())
        }

        init(latitude: Int32, longitude: Int32) { (self.latitude, self.longitude) = (latitude, longitude) }

        /// The position in degrees.
        public var point: GeoPoint? {
            try? GeoPoint(
                latitude: Double(latitude) / Self.stepsPerDegree, longitude: Double(longitude) / Self.stepsPerDegree)
        }
    }

    public struct Node: Sendable, Equatable {
        public var id: Int64
        public var point: GridPoint
        public var tags: [String: String]
    }

    /// A way or the outline of something that is not crossed.
    public struct Line: Sendable, Equatable {
        /// The stable id in the source: `way/12`.
        public var sourceID: String
        public var nodes: [Int64]
        public var tags: [String: String]
    }

    /// A closed outline, possibly with holes.
    public struct Area: Sendable, Equatable {
        /// The stable id in the source.
        public var sourceID: String
        /// Closed rings: the last node is the first.
        public var outer: [[Int64]]
        public var holes: [[Int64]]
        public var tags: [String: String]

        var rings: [[Int64]] { outer + holes }
    }

    public var nodes: [Int64: Node] = [:]
    /// Lines in the order of their ids.
    public var lines: [Line] = []
    /// Areas in the order of their ids.
    public var areas: [Area] = []

    public init() {}
}
