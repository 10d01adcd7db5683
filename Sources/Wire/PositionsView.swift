/// How positions are written.
public enum PositionEncoding: String, WireChoice {
    /// As ``ZoneUpdate``, in text messages.
    case json
    /// As ``PositionFrame``, in binary messages.
    case binary
}

/// `positions.view`: says what a map shows (B-2). Its cells' runners come as pushes; who moves the map says so again, and gets
/// what came into view only. Each connection has one view.
public enum PositionsView: RPCMethod {
    public static let name = "positions.view"
    public static let access = MethodAccess.everybody

    /// What is shown.
    public struct Params: Codable, Sendable {
        /// South, west, north, east, in degrees; nil to look away. It does not cross the antimeridian.
        @Quantity public var box: [Double]?
        /// The map's zoom, as web maps count it, 0 to 24. Wide views get large cells.
        @Quantity public var zoom: Double?
        /// `json` unless given.
        public var encoding: PositionEncoding?

        public init(box: [Double]?, zoom: Double? = nil, encoding: PositionEncoding? = nil) {
            self.box = box
            self.zoom = zoom
            self.encoding = encoding
        }
    }

    /// What is sent from now on.
    public struct Result: Codable, Sendable {
        /// The topics of the cells in view, such as `cell/17/33614/48629`. What is known of others is to be forgotten; a
        /// snapshot of each that is new follows.
        public var topics: [String]

        public init(topics: [String]) { self.topics = topics }
    }
}
