import Campus
import Wire

/// A share that works, as PostgreSQL has it.
public struct StoredShare: Sendable, Equatable {
    /// Its number.
    public var id: Int64
    /// Whose.
    public var owner: Int64
    /// Their username.
    public var username: String
    /// What those call them with whom it is shared by name.
    public var name: String
    /// With whom.
    public var audience: ShareAudience
    /// Of a `person`.
    public var person: Int64?
    /// Of a `group`: its conversation.
    public var group: Int64?
    /// The tracking session it ends with.
    public var session: Int64?
    /// How exactly.
    public var precision: Precision
    /// When it began.
    public var startedAt: Timestamp
    /// When its precision was chosen.
    public var chosenAt: Timestamp
    /// When it ends at the latest.
    public var expiresAt: Timestamp
    /// Random; nobody is told. Where within its interval a coarse precision is looked at.
    public var secret: Int64
    /// Larger with each change of any share; from 1.
    public var version: Int64
    /// It has ended in a hidden place, and viewers learn that then; nil while it works.
    public var endToldAt: Timestamp?

    /// Memberwise.
    public init(
        id: Int64, owner: Int64, username: String, name: String, audience: ShareAudience, person: Int64? = nil,
        group: Int64? = nil, session: Int64? = nil, precision: Precision, startedAt: Timestamp, chosenAt: Timestamp,
        expiresAt: Timestamp, secret: Int64, version: Int64,
        endToldAt: Timestamp? = nil
    ) {
        self.id = id
        self.owner = owner
        self.username = username
        self.name = name
        self.audience = audience
        self.person = person
        self.group = group
        self.session = session
        self.precision = precision
        self.startedAt = startedAt
        self.chosenAt = chosenAt
        self.expiresAt = expiresAt
        self.secret = secret
        self.version = version
        self.endToldAt = endToldAt
    }

    /// As a viewer sees it. By a link or on the map the username is all that is told of its owner.
    public func seen(byLink: Bool = false) -> SharedWithMe {
        SharedWithMe(
            id: id, person: byLink ? SharingPerson(account: 0, name: username, username: username) : sharer,
            audience: audience, group: group, precision: precision, startedAt: startedAt, expiresAt: expiresAt)
    }

    var sharer: SharingPerson {
        let isByName = audience == .person || audience == .group
        return SharingPerson(account: owner, name: isByName ? name : username, username: username)
    }
}

extension StoredShare {
    /// When it was looked at last, at a time; nil for `exact`. All nodes have the same times.
    func look(before time: Timestamp) -> Timestamp? {
        guard precision != .exact else { return nil }
        let bytes = withUnsafeBytes(of: secret.bigEndian) { Array($0) }
        return LookClock(precision, secret: bytes).look(at: time)
    }
}

/// Somebody got a campus-wide share with the picture of a part of the map.
public struct SeenShare: Sendable, Hashable {
    /// The share.
    public var share: Int64
    /// Who.
    public var account: Int64
    /// How exactly.
    public var precision: Precision
    /// When first.
    public var at: Timestamp
}

/// Reads and writes what PostgreSQL has of shares.
public protocol ShareStore: Sendable {
    /// An account's shares that work.
    func shares(of account: Int64) async throws -> [StoredShare]
    /// Those of these that work.
    func shares(_ ids: [Int64]) async throws -> [StoredShare]
    /// Who is in these conversations.
    func members(of groups: [Int64]) async throws -> [Int64: Set<Int64>]
    /// These openings of shares have ended.
    func close(openings: [Int64], at time: Timestamp) async throws
    /// These accounts got campus-wide shares; more of each that are counted only.
    func note(_ seen: [SeenShare], more: [Int64: Int]) async throws
}
