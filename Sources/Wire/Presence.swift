/// Presence on a topic, counted in people instead of connections: an account on three devices counts once, each connection of a guest
/// counts once.
public struct Presence: Sendable, Codable, Equatable {
    /// Highest number of names.
    public static let namesMax = 50

    /// Number of watchers, 0 or more. The owner of the topic, such as the owner of a session, is not counted.
    public var count: Int
    /// Usernames of signed-in watchers, at most ``namesMax``. Nil for subscribers who may not see names. Guests have no name.
    public var names: [String]?
    /// Number of signed-in watchers beyond `names`, 0 or more. Present together with `names`.
    public var more: Int?

    public init(count: Int, names: [String]? = nil, more: Int? = nil) {
        self.count = count
        self.names = names
        self.more = more
    }
}

/// Publication of type `presence`, on each topic with presence.
public struct PresenceUpdate: Sendable, Codable {
    /// Always `presence`.
    public var type = "presence"
    /// Clock of the server.
    public var serverTime: Timestamp
    public var presence: Presence

    public init(serverTime: Timestamp, presence: Presence) {
        self.serverTime = serverTime
        self.presence = presence
    }
}
