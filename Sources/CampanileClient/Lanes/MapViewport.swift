import Wire

/// A map's visible area and its scale. The area does not cross the antimeridian.
public struct MapViewport: Sendable, Hashable {
    /// Degrees, -90 to 90.
    public var south: Double
    /// Degrees, -180 to 180.
    public var west: Double
    /// Degrees, at least `south`.
    public var north: Double
    /// Degrees, at least `west`.
    public var east: Double
    /// Zoom level of web maps, 0 to 24. Wide views are updated less often.
    public var zoom: Double

    public init(south: Double, west: Double, north: Double, east: Double, zoom: Double) {
        (self.south, self.west, self.north, self.east, self.zoom) = (south, west, north, east, zoom)
    }

    var params: PositionsView.Params {
        PositionsView.Params(box: [south, west, north, east], zoom: zoom, encoding: .binary)
    }
}

/// The latest known state of all runners in a viewport.
public struct ViewportPositions: Sendable {
    /// The viewport of this state.
    public let viewport: MapViewport
    /// The server's time of the newest frame; nil before the first.
    public let serverTime: Timestamp?
    /// Runners by session. Each appears once. Cells extend slightly beyond the viewport, and so do the runners. Cells in
    /// ``clusters`` have none.
    public let runners: [Int64: Runner]
    /// Runner counts per grid square, by cell, where a wide view has too many runners. Closer views show them individually.
    public let clusters: [PositionFrame.Area: [Cluster]]
    /// Whether the whole viewport is up to date.
    ///
    /// False after the map was moved or the connection was lost, until the server has sent every cell. Missing cells keep their old
    /// content.
    public let isCurrent: Bool

    /// Number of runners in view, individual and counted.
    public var count: Int { clusters.values.joined().reduce(runners.count) { $0 + $1.count } }
}
