import Campus
import Wire

import struct Foundation.UUID

/// A subject of publications to which a connection can subscribe.
public enum Topic: Sendable, Hashable, CustomStringConvertible {
    /// `zone/<id>/positions`: runners in a zone.
    case zonePositions(Int64)
    /// `cell/<zoom>/<x>/<y>`: runners in a cell of the map.
    case cellPositions(Cell)
    /// `session/<id>`: one session.
    case session(Int64)
    /// `notices`: notices for the subscriber's account. Reliable; an account gets some of the entries of one log, so that offsets have
    /// gaps.
    case notices
    /// `campus/notices`: notices to everyone. Reliable.
    case campusNotices
    /// `zone/<id>/notices`: notices to people in a zone, or interested in it. Reliable.
    case zoneNotices(Int64)
    /// `chat/<id>`: a conversation, for its members. Reliable.
    case chat(Int64)
    /// `user/<id>`: signals for one account, which alone may subscribe.
    case user(Int64)
    /// `heatmap`: approximate numbers of people by place.
    case heatmap
    /// `share/<id>`: the location that a share shows.
    case share(Int64)
    /// `people/<x>/<y>`: people in a cell of zoom ``peopleZoom`` who share with everyone on campus.
    case people(Cell)
    /// `route/<id>`: new routes of a walk, for its owner.
    case route(UUID)
    /// `workout/<id>`: the progress of the members of a live group, for its members.
    case workout(UUID)
    /// `test/<n>`: for measurements; exists only on servers with test endpoints. Reliable.
    case test(Int64)

    /// Largest number of a test topic.
    public static let testMax: Int64 = 1_000

    /// Zoom of the cells of `people/…`: about 600 metres in the middle latitudes.
    public static let peopleZoom: UInt8 = 16

    /// - Parameter name: The topic's path; the result is nil if there is no such topic.
    public init?(_ name: String) {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 4, parts[0] == "cell", let zoom = UInt8(parts[1]), let x = UInt32(parts[2]),
            let y = UInt32(parts[3]), let cell = Cell(zoom: zoom, x: x, y: y)
        {
            self = .cellPositions(cell)
            // One spelling only: no signs, no leading zeros.
            guard description == name else { return nil }
            return
        }
        if parts.count == 3, parts[0] == "people", let x = UInt32(parts[1]), let y = UInt32(parts[2]),
            let cell = Cell(zoom: Self.peopleZoom, x: x, y: y)
        {
            self = .people(cell)
            guard description == name else { return nil }
            return
        }
        guard name != Self.notices.description else {
            self = .notices
            return
        }
        guard name != Self.campusNotices.description else {
            self = .campusNotices
            return
        }
        guard name != Self.heatmap.description else {
            self = .heatmap
            return
        }
        if parts.count == 2, parts[0] == "route", let id = UUID(uuidString: String(parts[1])) {
            self = .route(id)
            guard description == name else { return nil }
            return
        }
        if parts.count == 2, parts[0] == "workout", let id = UUID(uuidString: String(parts[1])) {
            self = .workout(id)
            guard description == name else { return nil }
            return
        }
        guard parts.count >= 2, let id = Int64(parts[1]), ObjectIDRange.allowed.contains(id), String(id) == parts[1]
        else { return nil }
        switch (parts[0], parts.count == 3 ? parts[2] : nil, parts.count) {
        case ("zone", "positions", 3): self = .zonePositions(id)
        case ("session", nil, 2): self = .session(id)
        case ("zone", "notices", 3): self = .zoneNotices(id)
        case ("chat", nil, 2): self = .chat(id)
        case ("user", nil, 2): self = .user(id)
        case ("share", nil, 2): self = .share(id)
        case ("test", nil, 2) where id <= Self.testMax: self = .test(id)
        default: return nil
        }
    }

    /// The kind of caller that may subscribe at all; whether a given topic is shared with the caller is checked in addition.
    public var access: MethodAccess { kind.declaration.access }

    /// Whether publications have an epoch and gapless offsets, and none is ever left out (B-1).
    public var isReliable: Bool { kind.isReliable }

    /// Number of newest publications that a reply sends to a subscriber without recovery. See ``preloadedPublicationsMax``.
    package var snapshotPublicationsMax: Int {
        switch self {
        // The client loads a conversation's history, which has the current state of each message.
        case .zonePositions, .cellPositions, .session, .notices, .chat, .user, .heatmap, .share, .people, .route,
            .workout:
            0
        case .campusNotices, .zoneNotices: 20
        case .test: 3
        }
    }

    /// Number of newest publications that are read into memory when a reliable topic is opened, from which later recoveries are served.
    /// They are not sent: ``snapshotPublicationsMax`` limits a reply. Subscribers that reconnect after a restart rarely need more, and
    /// thousands of them open as many conversations at the same moment.
    package var preloadedPublicationsMax: Int {
        switch self {
        case .zonePositions, .cellPositions, .session, .notices, .user, .heatmap, .share, .people, .route, .workout: 0
        case .chat: 32
        case .campusNotices, .zoneNotices, .test: 256
        }
    }

    /// The topic's path.
    public var description: String {
        switch self {
        case .zonePositions(let id): "zone/\(id)/positions"
        case .cellPositions(let cell): "cell/\(cell.zoom)/\(cell.x)/\(cell.y)"
        case .session(let id): "session/\(id)"
        case .notices: "notices"
        case .campusNotices: "campus/notices"
        case .zoneNotices(let id): "zone/\(id)/notices"
        case .chat(let id): "chat/\(id)"
        case .user(let id): "user/\(id)"
        case .heatmap: "heatmap"
        case .share(let id): "share/\(id)"
        case .people(let cell): "people/\(cell.x)/\(cell.y)"
        case .route(let id): "route/\(id.uuidString.lowercased())"
        case .workout(let id): "workout/\(id.uuidString.lowercased())"
        case .test(let number): "test/\(number)"
        }
    }
}

extension Topic {
    /// Kind of a topic: each belongs to one feed.
    public typealias Kind = TopicKind

    /// Kind of the topic.
    public var kind: Kind {
        switch self {
        case .zonePositions: .zonePositions
        case .cellPositions: .cellPositions
        case .session: .session
        case .notices: .notices
        case .campusNotices: .campusNotices
        case .zoneNotices: .zoneNotices
        case .chat: .chat
        case .user: .user
        case .heatmap: .heatmap
        case .share: .share
        case .people: .people
        case .route: .route
        case .workout: .workout
        case .test: .test
        }
    }
}
