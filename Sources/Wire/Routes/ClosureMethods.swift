// Closures: lifts out of order, locked doors, closed paths.

/// Kind of an object that can be closed.
public enum ClosableKind: String, WireChoice { case lift, door, path, stairs, escalator }

/// An object that can be closed.
public struct ClosableObject: Codable, Sendable, Equatable {
    /// Id in the imported data, such as `way/12`.
    public var object: String
    public var kind: ClosableKind
    /// Name to display, such as `Lift in Main Library, levels 0–2`.
    public var name: String
    /// Degrees.
    public var lat: Double
    /// Degrees.
    public var lon: Double
    /// Level, if the object is on one.
    public var level: String?
    public init(object: String, kind: ClosableKind, name: String, lat: Double, lon: Double, level: String? = nil) {
        self.object = object
        self.kind = kind
        self.name = name
        self.lat = lat
        self.lon = lon
        self.level = level
    }
}

/// A closure. Routes lead around the object while it lasts.
public struct Closure: Codable, Sendable, Equatable {
    /// UUID that the client chose.
    public var id: String
    /// Id of the object in the imported data.
    public var object: String
    public var kind: ClosableKind
    /// Name of the object.
    public var name: String
    /// Degrees.
    public var lat: Double
    /// Degrees.
    public var lon: Double
    /// Level, if the object is on one.
    public var level: String?
    /// Reason, for people.
    public var reason: String?
    public var from: Timestamp
    /// Planned end; nil if it is open.
    public var until: Timestamp?
    /// Username of the admin; only for admins.
    public var by: String?
    public init(
        id: String, object: String, kind: ClosableKind, name: String, lat: Double, lon: Double, level: String? = nil,
        reason: String? = nil, from: Timestamp, until: Timestamp? = nil, by: String? = nil
    ) {
        self.id = id
        self.object = object
        self.kind = kind
        self.name = name
        self.lat = lat
        self.lon = lon
        self.level = level
        self.reason = reason
        self.from = from
        self.until = until
        self.by = by
    }
}

/// A list of closures.
public struct ClosureList: Codable, Sendable {
    /// The latest start first.
    public var closures: [Closure]
    public init(closures: [Closure]) { self.closures = closures }
}

public enum RoutesClosures: RPCMethod {
    public static let name = "routes.closures"
    public static let summary = "Lists what is closed at the moment."
    public static let access = MethodAccess.everybody
    public static let limits: [MethodLimit] = [.each(.list)]
    public typealias Params = Empty
    public typealias Result = ClosureList
}

public enum AdminClosures: RPCMethod {
    public static let name = "admin.closures"
    public static let summary =
        "Lists the closures that have not ended, with planned ones, and the last 20 that have. Their `until` is when they ended."
    public static let access = MethodAccess.roles([.admin])
    public typealias Params = Empty
    public typealias Result = ClosureList
}

public enum AdminClosable: RPCMethod {
    public static let name = "admin.closable"
    public static let summary = "Lists lifts, doors, paths, stairs and escalators that can be closed."
    public static let access = MethodAccess.roles([.admin])
    public static let texts: [String: TextLimit] = ["text": .searchText]
    public static let limits: [MethodLimit] = [.each(.list)]
    public struct Params: Codable, Sendable {
        /// Words that occur in the name.
        public var text: String?
        /// Degrees, -90 to 90. With a position the nearest objects come first.
        @Latitude public var lat: Double?
        /// Degrees, -180 to 180.
        @Longitude public var lon: Double?
        public init(text: String? = nil, lat: Double? = nil, lon: Double? = nil) {
            self.text = text
            self.lat = lat
            self.lon = lon
        }
    }
    public struct Result: Codable, Sendable {
        /// At most 50.
        public var objects: [ClosableObject]
        public init(objects: [ClosableObject]) { self.objects = objects }
    }
}

public enum AdminSaveClosure: RPCMethod {
    public static let name = "admin.saveClosure"
    public static let summary =
        "Closes an object, or changes a closure. Walks whose route is affected get a new one at once."
    public static let access = MethodAccess.roles([.admin])
    public static let texts: [String: TextLimit] = ["reason": .closureReason]
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public struct Params: Codable, Sendable {
        /// UUID chosen by the client. The UUID of a present closure changes its reason and times.
        public var id: String
        /// Id from `admin.closable`.
        public var object: String
        /// At most 120 characters.
        public var reason: String?
        /// Start; nil for now.
        public var from: Timestamp?
        /// Planned end, after the start and at most two years from now; nil for none.
        public var until: Timestamp?
        public init(
            id: String, object: String, reason: String? = nil, from: Timestamp? = nil, until: Timestamp? = nil
        ) {
            self.id = id
            self.object = object
            self.reason = reason
            self.from = from
            self.until = until
        }
    }
    public typealias Result = Closure
}

public enum AdminEndClosure: RPCMethod {
    public static let name = "admin.endClosure"
    public static let summary = "Ends a closure. Walks for which that makes a better route get it at once."
    public static let access = MethodAccess.roles([.admin])
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        /// UUID of the closure.
        public var closure: String
        public init(closure: String) { self.closure = closure }
    }
    public typealias Result = Empty
}
