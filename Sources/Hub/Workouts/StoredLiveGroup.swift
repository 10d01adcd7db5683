import Wire

import struct Foundation.UUID

/// A member of a live group as PostgreSQL has it.
public struct StoredLiveMember: Codable, Sendable, Equatable {
    public var account: Int64
    public var username: String
    public var state: LiveMemberState
    public var sharesZone: Bool

    public init(account: Int64, username: String, state: LiveMemberState, sharesZone: Bool) {
        self.account = account
        self.username = username
        self.state = state
        self.sharesZone = sharesZone
    }

    /// Whether the member takes part: only then it sees the group, and the others see its progress.
    public var takesPart: Bool { state == .joined || state == .finished }
}

/// A live group as PostgreSQL has it.
public struct StoredLiveGroup: Codable, Sendable, Equatable {
    public var id: UUID
    /// Larger with each change of any group or of its members.
    public var version: Int64
    public var title: String
    /// Account of the host.
    public var host: Int64
    public var hostName: String
    public var event: Int64?
    public var conversation: Int64?
    public var createdAt: Timestamp
    public var endedAt: Timestamp?
    /// Ids of the exercises that a position may name.
    public var exercises: Set<String>
    /// All but removed ones.
    public var members: [StoredLiveMember]

    public init(
        id: UUID, version: Int64, title: String, host: Int64, hostName: String, event: Int64? = nil,
        conversation: Int64? = nil, createdAt: Timestamp, endedAt: Timestamp? = nil, exercises: Set<String>,
        members: [StoredLiveMember]
    ) {
        self.id = id
        self.version = version
        self.title = title
        self.host = host
        self.hostName = hostName
        self.event = event
        self.conversation = conversation
        self.createdAt = createdAt
        self.endedAt = endedAt
        self.exercises = exercises
        self.members = members
    }

    public func member(_ account: Int64) -> StoredLiveMember? { members.first { $0.account == account } }

    /// Whether a viewer sees a member, apart from blocks. The host sees everybody. A viewer that takes part sees the host and the others
    /// that take part. Any other viewer sees the host and itself.
    func shows(_ member: StoredLiveMember, to viewer: Int64, takingPart: Bool) -> Bool {
        viewer == host || member.account == host || member.account == viewer || takingPart && member.takesPart
    }
}

/// Reads live groups from PostgreSQL.
public protocol LiveGroupStore: Sendable {
    /// These groups; ones that do not exist are left out.
    func groups(_ ids: [UUID]) async throws -> [StoredLiveGroup]
    /// Those of the groups that have another version now, and those that do not exist any more.
    func changed(_ versions: [UUID: Int64]) async throws -> (changed: [StoredLiveGroup], gone: [UUID])
}
