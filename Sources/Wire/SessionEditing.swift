/// A kilometre of a session, or what is left of one at its end.
public struct Split: Sendable, Codable, Equatable {
    /// Counted metres: 1,000, less for the last.
    public var distance: Double
    /// Seconds that it took, pauses left out.
    public var elapsed: Double
    /// Creates a split.
    public init(distance: Double, elapsed: Double) {
        self.distance = distance
        self.elapsed = elapsed
    }
}

/// `tracking.rename` (U-3): another title, while a session is tracked and afterwards.
public enum TrackingRename: RPCMethod {
    /// The method's name on the wire.
    public static let name = "tracking.rename"
    /// Roles that may call it.
    public static let access = MethodAccess.accounts
    /// The session and its new title.
    public struct Params: Codable, Sendable {
        /// The session's number, one of the caller's.
        @ObjectID public var session: Int64
        /// At most 80 characters; a blank one gives `Urban Adventure`.
        public var title: String
        /// Creates the parameters.
        public init(session: Int64, title: String) {
            self.session = session
            self.title = title
        }
    }
    /// The session as it now stands.
    public typealias Result = SessionReply
}

/// `tracking.delete` (U-5): removes a session with its points, pauses and links, for good.
public enum TrackingDelete: RPCMethod {
    /// The method's name on the wire.
    public static let name = "tracking.delete"
    /// Roles that may call it.
    public static let access = MethodAccess.accounts
    /// The session.
    public struct Params: Codable, Sendable {
        /// The session's number, one of the caller's; it may still run.
        @ObjectID public var session: Int64
        /// Creates the parameters.
        public init(session: Int64) { self.session = session }
    }
    /// What was deleted.
    public struct Result: Codable, Sendable {
        /// Sessions: 1.
        public var deleted: Int
        /// Creates the result.
        public init(deleted: Int) { self.deleted = deleted }
    }
}
