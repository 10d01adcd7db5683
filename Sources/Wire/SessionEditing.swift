/// One kilometre of a session, or the remainder at its end.
public struct Split: Sendable, Codable, Equatable {
    /// Counted metres: 1,000, or less for the last split.
    public var distance: Double
    /// Duration in seconds without pauses.
    public var elapsed: Double
    public init(distance: Double, elapsed: Double) {
        self.distance = distance
        self.elapsed = elapsed
    }
}

public enum TrackingRename: RPCMethod {
    public static let name = "tracking.rename"
    public static let summary = "Changes the title of a running or finished session."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let texts: [String: TextLimit] = ["title": .sessionTitle]
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        /// A session of the caller.
        @ObjectID public var session: Int64
        /// At most 80 characters. A blank title becomes `Urban Adventure`.
        public var title: String
        public init(session: Int64, title: String) {
            self.session = session
            self.title = title
        }
    }
    public typealias Result = SessionReply
}

public enum TrackingDelete: RPCMethod {
    public static let name = "tracking.delete"
    public static let summary = "Deletes a session with its points, pauses and links permanently."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        /// A session of the caller, running or finished.
        @ObjectID public var session: Int64
        public init(session: Int64) { self.session = session }
    }
    public struct Result: Codable, Sendable {
        /// Number of deleted sessions: 1.
        public var deleted: Int
        public init(deleted: Int) { self.deleted = deleted }
    }
}

extension APIRegistry {
    static let sessionEditing: [any RPCMethod.Type] = [TrackingRename.self, TrackingDelete.self]
}
