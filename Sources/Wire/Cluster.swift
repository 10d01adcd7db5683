/// Number and mean position of the runners in one of the 64 squares of a cell. PostgreSQL's clusters have nothing to do with it.
public struct Cluster: Sendable, Codable, Equatable {
    /// Number of squares in each row and each column of a cell.
    public static let side = 8

    /// Index of the square, row by row from the north-west: 0 to 63. The square is the map tile three zoom levels deeper, in column
    /// `index % 8` and row `index / 8` of the cell.
    public var index: Int
    /// Number of runners, at least 1.
    public var count: Int
    /// Mean latitude of the runners in degrees, rounded to 10⁻⁵.
    public var lat: Double
    /// Mean longitude of the runners in degrees, rounded to 10⁻⁵.
    public var lon: Double

    public init(index: Int, count: Int, lat: Double, lon: Double) {
        (self.index, self.count, self.lat, self.lon) = (index, count, lat, lon)
    }
}

/// A publication of counts instead of runners, for a crowded cell of a wide view. It replaces all earlier state of the cell,
/// runners included. A ``ZoneUpdate`` with `full` ends the counts.
public struct CountsUpdate: Sendable, Codable, Equatable {
    /// Always `counts`.
    public var type = "counts"
    /// Clock of the server.
    public var serverTime: Timestamp
    /// Squares with at least one runner, by rising index; at most 64.
    public var clusters: [Cluster]

    public init(serverTime: Timestamp, clusters: [Cluster]) {
        self.serverTime = serverTime
        self.clusters = clusters
    }
}
