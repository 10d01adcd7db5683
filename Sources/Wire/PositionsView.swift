/// Encoding of positions.
public enum PositionEncoding: String, WireChoice {
    /// ``ZoneUpdate`` in text messages.
    case json
    /// ``PositionFrame`` in binary messages.
    case binary
}

public enum PositionsView: RPCMethod {
    public static let name = "positions.view"
    public static let summary = """
        Sets the viewport of the connection. The runners of its cells follow as pushes. After moving the map, a client \
        sends the request again and gets only the cells that entered the viewport. Each connection has one viewport.
        """
    public static let access = MethodAccess.everybody
    public static let errors: [ErrorCode] = [.conflict]

    public struct Params: Codable, Sendable {
        /// South, west, north, east, in degrees; nil closes the viewport. The box does not cross the antimeridian.
        @Quantity public var box: [Double]?
        /// Zoom level of the map in the numbering of web maps, 0 to 24. A wide viewport gets large cells.
        @Quantity public var zoom: Double?
        /// Default `json`.
        public var encoding: PositionEncoding?

        public init(box: [Double]?, zoom: Double? = nil, encoding: PositionEncoding? = nil) {
            self.box = box
            self.zoom = zoom
            self.encoding = encoding
        }
    }

    public struct Result: Codable, Sendable {
        /// Topics of the cells in the viewport, such as `cell/17/33614/48629`. The client forgets all other cells; a snapshot of each new
        /// cell follows.
        public var topics: [String]

        public init(topics: [String]) { self.topics = topics }
    }
}

extension APIRegistry {
    static let viewports: [any RPCMethod.Type] = [PositionsView.self]
}
