/// The limits of the route graph. A source beyond a limit of size is refused; a part beyond a limit of its own is simplified.
public enum RouteLimits {
    /// Maximum number of vertices of a graph. A path's cost fits into 41 bits and a vertex into 22 (``SearchQueue``).
    public static let verticesMax = 1 << 22
    /// Maximum number of edges of a graph.
    public static let edgesMax = 1 << 25
    /// Maximum number of destinations.
    public static let destinationsMax = 1_000_000
    /// Maximum number of openings and corners of an area that is crossed in straight lines. A larger area is followed
    /// along its outline.
    public static let areaCornersMax = 300
    /// Maximum number of points of an area's outline and holes that is crossed in straight lines.
    public static let areaPointsMax = 4_000
    /// Maximum side of a campus, in degrees: exact geometry on the grid needs it, and a campus is smaller.
    public static let sideDegreesMax = 2.0
    /// Maximum distance of a point from the nearest path, in metres. A point further away is outside the campus.
    public static let approachMetresMax = 150.0
    /// Maximum distance, in metres, of a point with a level from a path of that level. Inside the building of the path it is
    /// ``approachMetresMax``.
    public static let indoorApproachMetresMax = 25.0
    /// Number of vertices from which a part without a connection to the largest one is no island. A position beside an island also leads
    /// to the nearest path of the rest.
    public static let islandVerticesMin: Int32 = 100
    /// Maximum distance of a named building that a direction mentions, in metres.
    public static let sightMetresMax = 30.0
    /// Maximum cost of an edge, in milliseconds.
    public static let edgeCostMax = Int32.max - 1
    /// Maximum cost of a route, in milliseconds. A dearer one does not exist.
    public static let routeCostMax: Int64 = 1 << 41 - 1
}
