import Campus
import Wire

/// What one can subscribe to (design §3).
public enum Topic: Sendable, Hashable, CustomStringConvertible {
    /// `zone/<id>/positions`: who is in a zone.
    case zonePositions(Int64)
    /// `cell/<zoom>/<x>/<y>`: who is in a cell of the map.
    case cellPositions(Cell)
    /// `session/<id>`: one session.
    case session(Int64)
    /// `notices`: those that are for one's own account. In order and each once, but with an offset for all of them.
    case notices
    /// `campus/notices`: notices to everybody. Reliable.
    case campusNotices
    /// `zone/<id>/notices`: notices to who is in a zone, or cares. Reliable.
    case zoneNotices(Int64)
    /// `chat/<id>`: a conversation, for its members. Reliable.
    case chat(Int64)
    /// `user/<id>`: what is new for one account, for itself.
    case user(Int64)
    /// `heatmap`: how many people are where, about.
    case heatmap
    /// `share/<id>`: where somebody is who shares it.
    case share(Int64)
    /// `people/<x>/<y>`: those in a cell of zoom ``peopleZoom`` who share with everybody on campus.
    case people(Cell)
    /// `test/<n>`: for measuring; only servers that were asked for test endpoints know them. Reliable.
    case test(Int64)

    /// Numbers of test topics.
    public static let testMax: Int64 = 1_000

    /// Of the cells of `people/…`: about 600 metres in the middle latitudes.
    public static let peopleZoom: UInt8 = 16

    /// - Parameter name: The topic's path; nil for one that does not exist.
    public init?(_ name: String) {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 4, parts[0] == "cell", let zoom = UInt8(parts[1]), let x = UInt32(parts[2]),
            let y = UInt32(parts[3]), let cell = Cell(zoom: zoom, x: x, y: y)
        {
            self = .cellPositions(cell)
            // One spelling: no signs, no zeros in front.
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

    /// What its positions are of, if it is one of positions.
    public var area: Area? {
        switch self {
        case .zonePositions(let id): .zone(id)
        case .cellPositions(let cell): .cell(cell)
        case .session, .notices, .campusNotices, .zoneNotices, .chat, .user, .heatmap, .share, .people, .test: nil
        }
    }

    /// Who may subscribe to it at all; whether this one is shared with the caller is looked up besides.
    public var access: MethodAccess {
        switch self {
        case .zonePositions, .cellPositions, .session, .campusNotices, .zoneNotices, .heatmap, .share, .test: .everybody
        case .chat, .user, .notices, .people: .accounts
        }
    }

    /// Whether its publications have an epoch and gapless offsets, and none is ever left out (B-1).
    public var isReliable: Bool {
        switch self {
        case .zonePositions, .cellPositions, .session, .user, .heatmap, .share, .people: false
        case .notices, .campusNotices, .zoneNotices, .chat, .test: true
        }
    }

    /// The newest publications that a snapshot of a reliable topic shows.
    var snapshotPublicationsMax: Int {
        switch self {
        // A conversation is shown by its history, with what became of its messages.
        case .zonePositions, .cellPositions, .session, .notices, .chat, .user, .heatmap, .share, .people: 0
        case .campusNotices, .zoneNotices: 20
        case .test: 3
        }
    }

    /// The newest publications that a reliable topic begins with in memory: who comes back after a restart needs little more, and
    /// thousands come at once, to as many conversations.
    var openingPublicationsMax: Int {
        switch self {
        case .zonePositions, .cellPositions, .session, .notices, .user, .heatmap, .share, .people: 0
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
        case .test(let number): "test/\(number)"
        }
    }
}

/// Who asks, as far as the privacy rules care.
public struct Viewer: Sendable, Hashable {
    /// Nil for a guest.
    public var accountID: Int64?

    /// - Parameter accountID: Nil for a guest.
    public init(accountID: Int64?) { self.accountID = accountID }

    var tier: Tier { accountID == nil ? .guest : .member }
}

/// Zone pictures differ by what their viewers may see: one encoding a tier, shared by all in it.
enum Tier: Hashable, CaseIterable {
    case guest, member
}
