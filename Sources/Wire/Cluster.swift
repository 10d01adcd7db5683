/// How many runners are in one of the 64 squares of a cell, and where their middle is.
public struct Cluster: Sendable, Codable, Equatable {
    /// Squares in a row of a cell, and rows.
    public static let side = 8

    /// Which square, row by row from the north-west: 0 to 63. It is the tile three zooms deeper, column `index % 8` and row
    /// `index / 8` of the cell.
    public var index: Int
    /// Runners, 1 or more.
    public var count: Int
    /// Degrees: the mean of their latitudes, to 10⁻⁵.
    public var lat: Double
    /// Degrees: the mean of their longitudes, to 10⁻⁵.
    public var lon: Double

    public init(index: Int, count: Int, lat: Double, lon: Double) {
        (self.index, self.count, self.lat, self.lon) = (index, count, lat, lon)
    }
}

/// A push on a cell of a wide view in which there is a crowd: counts instead of runners. It is whole each time: whatever was known
/// of the cell, its runners too, is to be forgotten. A ``ZoneUpdate`` that is full ends it.
public struct CountsUpdate: Sendable, Codable, Equatable {
    /// Always `counts`.
    public var type = "counts"
    /// The server's clock.
    public var serverTime: Timestamp
    /// Squares with anybody in them, by rising index; at most 64.
    public var clusters: [Cluster]

    public init(serverTime: Timestamp, clusters: [Cluster]) {
        self.serverTime = serverTime
        self.clusters = clusters
    }
}
