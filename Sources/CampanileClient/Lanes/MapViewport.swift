import Wire

/// What a map shows: a box that does not cross the antimeridian, and how large it is drawn.
public struct MapViewport: Sendable, Hashable {
    /// Degrees, -90 to 90.
    public var south: Double
    /// Degrees, -180 to 180.
    public var west: Double
    /// Degrees, not below `south`.
    public var north: Double
    /// Degrees, not below `west`.
    public var east: Double
    /// As web maps count it, 0 to 24. Wide views are told less often.
    public var zoom: Double

    /// Memberwise.
    public init(south: Double, west: Double, north: Double, east: Double, zoom: Double) {
        (self.south, self.west, self.north, self.east, self.zoom) = (south, west, north, east, zoom)
    }

    var params: PositionsView.Params {
        PositionsView.Params(box: [south, west, north, east], zoom: zoom, encoding: .binary)
    }
}

/// Who is in view, all of them: the newest that is known.
public struct PositionsPicture: Sendable {
    /// What the map shows.
    public let viewport: MapViewport
    /// The server's clock at the newest frame; nil before the first.
    public let serverTime: Timestamp?
    /// By session; each once. Cells reach a little beyond the viewport, and so do these. Nobody of a cell that is in ``clusters``.
    public let runners: [Int64: Runner]
    /// Where a wide view has a crowd: how many runners are in which square, by cell. Who they are is told to closer views.
    public let clusters: [PositionFrame.Picture: [Cluster]]
    /// True when all that the viewport shows is as the server told it last. False after the map was moved or the connection was lost, until
    /// the server has told of every cell: what is not told yet is as it was before.
    public let isCurrent: Bool

    /// Runners in view, one by one or counted.
    public var count: Int { clusters.values.joined().reduce(runners.count) { $0 + $1.count } }
}
