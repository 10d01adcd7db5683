/// Kind of a topic. The order is the order of the reference.
public enum TopicKind: String, Sendable, Hashable, CaseIterable {
    case zonePositions, cellPositions, session, notices, campusNotices, zoneNotices, chat, user, heatmap, share, people,
        route, workout, test

    /// Whether publications have an epoch and gapless offsets, and none is ever left out (B-1). Publishing asks for each publication.
    public var isReliable: Bool {
        switch self {
        case .zonePositions, .cellPositions, .session, .user, .heatmap, .share, .people, .route, .workout: false
        case .notices, .campusNotices, .zoneNotices, .chat, .test: true
        }
    }
}

/// Declaration of a kind of topic: the single source of what the server checks and what the reference and the machine-readable
/// description say.
public struct TopicDeclaration: Sendable {
    /// How publications are delivered.
    public enum Delivery: String, Sendable {
        /// Publications have an epoch and gapless offsets; none is ever left out. A client that comes back receives what it missed (B-1).
        case reliable
        /// Only the present state counts: a slow subscriber may miss publications, and gets the complete state instead.
        case latest
    }

    /// A type of publications.
    public struct Push: Sendable {
        public let data: any (Decodable & Sendable).Type
        /// The constant of the member `type`; nil if the type of that member is an enumeration.
        public let type: String?

        public init(_ data: any (Decodable & Sendable).Type, type: String? = nil) {
            (self.data, self.type) = (data, type)
        }
    }

    public let kind: TopicKind
    /// Path, with parameters in angle brackets.
    public let pattern: String
    /// Plain sentences about what the topic publishes.
    public let summary: String
    public let delivery: Delivery
    /// The kind of caller that may subscribe at all; whether a given topic is shared with the caller is checked in addition.
    public let access: MethodAccess
    /// Parameters of `subscribe` besides `topic`.
    public let params: [String]
    /// Type of the reply to `subscribe`; nil for a topic that only `positions.view` opens.
    public let reply: (any (Decodable & Sendable).Type)?
    public let pushes: [Push]
    /// Reasons for which the server ends a subscription, by a publication of the type `closed`.
    public let closeReasons: [TopicCloseReason]
}

/// Reason in a publication of the type `closed`, as text for people.
public enum TopicCloseReason: String, Sendable, CaseIterable {
    case zoneRemoved = "the zone was removed"
    case linkRevoked = "the link was revoked"
    case linkExpired = "the link expired"
    /// The same for all causes, so that a subscriber does not learn of a block.
    case notShared = "no longer shared"
    case groupEnded = "the live group has ended"
}
