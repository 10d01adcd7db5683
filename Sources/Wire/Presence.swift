/// Who watches a topic, in people and not in connections: an account on three devices is one, and so is each connection of a
/// guest.
public struct Presence: Sendable, Codable, Equatable {
    /// Names that are told at most.
    public static let namesMax = 50

    /// People who watch, 0 or more. Whom the topic belongs to (a session's owner) is not among them.
    public var count: Int
    /// Usernames of those who are signed in, at most ``namesMax``; nil for everybody who may not see names. Guests have none.
    public var names: [String]?
    /// With `names`: how many more are signed in, 0 or more.
    public var more: Int?

    public init(count: Int, names: [String]? = nil, more: Int? = nil) {
        self.count = count
        self.names = names
        self.more = more
    }
}

/// A push of type `presence`, on any topic whose watchers are counted.
public struct PresenceUpdate: Sendable, Codable {
    /// Always `presence`.
    public var type = "presence"
    /// The server's clock.
    public var serverTime: Timestamp
    /// Who watches now.
    public var presence: Presence

    public init(serverTime: Timestamp, presence: Presence) {
        self.serverTime = serverTime
        self.presence = presence
    }
}
