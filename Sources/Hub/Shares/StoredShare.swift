import Campus
import Wire

/// A working share as PostgreSQL has it.
public struct StoredShare: Sendable, Equatable {
    public var id: Int64
    /// Account of the owner.
    public var owner: Int64
    /// Username of the owner.
    public var username: String
    /// Display name of the owner, for the person or group that the share is addressed to.
    public var name: String
    public var audience: ShareAudience
    /// The account that a `person` share is for.
    public var person: Int64?
    /// The conversation that a `group` share is for.
    public var group: Int64?
    /// The tracking session with which the share ends.
    public var session: Int64?
    public var precision: Precision
    public var startedAt: Timestamp
    /// When the precision was chosen.
    public var chosenAt: Timestamp
    /// The latest end.
    public var expiresAt: Timestamp
    /// Random, and never sent to clients: it shifts the sampling times of a coarse precision within their interval.
    public var secret: Int64
    /// Larger with each change of any share; from 1.
    public var version: Int64
    /// When viewers learn that the share has ended in a hidden place; nil while it works.
    public var endPublishedAt: Timestamp?

    public init(
        id: Int64, owner: Int64, username: String, name: String, audience: ShareAudience, person: Int64? = nil,
        group: Int64? = nil, session: Int64? = nil, precision: Precision, startedAt: Timestamp, chosenAt: Timestamp,
        expiresAt: Timestamp, secret: Int64, version: Int64,
        endPublishedAt: Timestamp? = nil
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
        self.endPublishedAt = endPublishedAt
    }

    /// The share as a viewer sees it. By a link or on the map, the owner is only named by the username.
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
    /// The last sampling time before a time; nil for `exact`. All nodes compute the same times.
    func samplingTime(before time: Timestamp) -> Timestamp? {
        guard precision != .exact else { return nil }
        let bytes = withUnsafeBytes(of: secret.bigEndian) { Array($0) }
        return SamplingClock(precision, secret: bytes).samplingTime(at: time)
    }
}

/// An access-log entry: an account received a campus-wide share with the map.
public struct AccessLogEntry: Sendable, Hashable {
    public var share: Int64
    /// The account that received it.
    public var account: Int64
    public var precision: Precision
    /// When it first received it.
    public var at: Timestamp
}

/// Reads shares from PostgreSQL, and writes their access log.
public protocol ShareStore: Sendable {
    /// The working shares of an account.
    func shares(of account: Int64) async throws -> [StoredShare]
    /// The working shares among these.
    func shares(_ ids: [Int64]) async throws -> [StoredShare]
    /// The members of these conversations.
    func members(of groups: [Int64]) async throws -> [Int64: Set<Int64>]
    /// Closes these openings in the access log.
    func close(openings: [Int64], at time: Timestamp) async throws
    /// Logs that accounts received campus-wide shares; `more` counts further accounts by share.
    func log(_ seen: [AccessLogEntry], more: [Int64: Int]) async throws
}
