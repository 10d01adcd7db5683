// Routes, and walks: live routes of one connection.

public enum RoutesFind: RPCMethod {
    public static let name = "routes.find"
    public static let summary = "Finds routes on foot between two places. Writes nothing down."
    public static let access = MethodAccess.everybody
    public static let limits: [MethodLimit] = [.each(.list)]
    public static let errors: [ErrorCode] = [.notFound, .conflict, .noRoute]
    public struct Params: Codable, Sendable {
        public var from: RouteEndParams
        public var to: RouteEndParams
        public var preferences: RoutePreferences?
        /// True adds up to two other routes, if there are any that make sense.
        public var alternatives: Bool?
        public init(
            from: RouteEndParams, to: RouteEndParams, preferences: RoutePreferences? = nil, alternatives: Bool? = nil
        ) {
            self.from = from
            self.to = to
            self.preferences = preferences
            self.alternatives = alternatives
        }
    }
    public struct Result: Codable, Sendable {
        /// 1 to 3 routes, the best first.
        public var routes: [RouteInfo]
        public init(routes: [RouteInfo]) { self.routes = routes }
    }
}

/// A live route. It is in the server's memory only, while it lasts.
public struct Walk: Codable, Sendable, Equatable {
    /// Unguessable id of the walk.
    public var walk: String
    /// Topic on which the owner's connection receives new routes: `route/<walk>`. The connection is subscribed already.
    public var topic: String
    /// The present route; nil if there is none since a closure.
    public var route: RouteInfo?
    /// Without a route: the reason, for people.
    public var message: String?
    /// Grows with each new route.
    public var version: Int
    public init(walk: String, topic: String, route: RouteInfo?, message: String? = nil, version: Int) {
        self.walk = walk
        self.topic = topic
        self.route = route
        self.message = message
        self.version = version
    }
}

/// Id of a walk.
public struct WalkParams: Codable, Sendable {
    /// Id from `routes.walk`.
    public var walk: String
    public init(walk: String) { self.walk = walk }
}

public enum RoutesWalk: RPCMethod {
    public static let name = "routes.walk"
    public static let summary = """
        Starts a walk: the route now, and a new one on the topic `route/<walk>` whenever a closure, an opening or the crowd \
        changes it. A connection has one walk; a new one ends the one before.
        """
    public static let access = MethodAccess.everybody
    public static let limits: [MethodLimit] = [.each(.list)]
    public static let errors: [ErrorCode] = [.notFound, .conflict, .noRoute]
    public struct Params: Codable, Sendable {
        public var from: RouteEndParams
        public var to: RouteEndParams
        public var preferences: RoutePreferences?
        public init(from: RouteEndParams, to: RouteEndParams, preferences: RoutePreferences? = nil) {
            self.from = from
            self.to = to
            self.preferences = preferences
        }
    }
    public typealias Result = Walk
}

public enum RoutesMove: RPCMethod {
    public static let name = "routes.move"
    public static let summary =
        "Finds the route of a walk anew from the present position. Its owner calls this off the route."
    public static let access = MethodAccess.everybody
    public static let limits: [MethodLimit] = [.each(.list)]
    public static let errors: [ErrorCode] = [.notFound, .conflict, .noRoute]
    public struct Params: Codable, Sendable {
        /// Id from `routes.walk`.
        public var walk: String
        /// Degrees, -90 to 90.
        @Latitude public var lat: Double
        /// Degrees, -180 to 180.
        @Longitude public var lon: Double
        /// Level; nil outdoors.
        public var level: String?
        /// Accuracy in metres.
        @Quantity public var accuracy: Double?
        public init(walk: String, lat: Double, lon: Double, level: String? = nil, accuracy: Double? = nil) {
            self.walk = walk
            self.lat = lat
            self.lon = lon
            self.level = level
            self.accuracy = accuracy
        }
    }
    public typealias Result = Walk
}

public enum RoutesResume: RPCMethod {
    public static let name = "routes.resume"
    public static let summary = """
        Continues a walk on another connection of its owner, after the first was lost. The result has the present route.
        """
    public static let access = MethodAccess.everybody
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public typealias Params = WalkParams
    public typealias Result = Walk
}

public enum RoutesEnd: RPCMethod {
    public static let name = "routes.end"
    public static let summary = "Ends a walk and forgets it. Succeeds if it has ended already."
    public static let access = MethodAccess.everybody
    public typealias Params = WalkParams
    public typealias Result = Empty
}

/// Why a walk has a new route, or none.
public struct RouteChange: Codable, Sendable, Equatable {
    public enum Kind: String, WireChoice {
        /// Something on the route was closed.
        case closed
        /// Something was opened again that makes the route better.
        case opened
        /// Another route passes fewer people.
        case crowd
        /// The walk has ended.
        case end
    }
    public var kind: Kind
    /// Name of what was closed or opened, such as `Lift in Main Library`.
    public var object: String?
    /// Planned end of the closure.
    public var until: Timestamp?
    /// The admin's reason for the closure, at most 120 characters.
    public var note: String?
    public init(kind: Kind, object: String? = nil, until: Timestamp? = nil, note: String? = nil) {
        self.kind = kind
        self.object = object
        self.until = until
        self.note = note
    }
}

/// Publication on `route/<walk>`. Each replaces the route.
public struct RouteUpdate: Codable, Sendable, Equatable {
    /// Always `route`.
    public var type = "route"
    public var version: Int
    public var reason: RouteChange
    /// The new route; nil if there is none.
    public var route: RouteInfo?
    /// Without a route: the reason, for people.
    public var message: String?
    public init(version: Int, reason: RouteChange, route: RouteInfo? = nil, message: String? = nil) {
        self.version = version
        self.reason = reason
        self.route = route
        self.message = message
    }
}

extension APIRegistry {
    static let routes: [any RPCMethod.Type] = [
        RoutesFind.self, RoutesWalk.self, RoutesMove.self, RoutesResume.self, RoutesEnd.self, RoutesClosures.self,
        PlacesFloors.self, AdminClosures.self, AdminClosable.self, AdminSaveClosure.self, AdminEndClosure.self,
    ]
}
