import EventLoop
import Foundation
import Hub
import HubCore
import Logging
import Postgres
import Wire

/// Live groups (W-6): people who train together. PostgreSQL has the members, the hub their progress. The hub applies each committed change
/// on all nodes before the request is answered.
///
/// An actor on the hub's loop.
public actor Together {
    /// Largest number of open groups that an account takes part in.
    public static let groupsMax = 20
    /// Largest number of groups in a list: at least ``groupsMax``.
    static let listedMax: Int64 = 20
    /// Seconds without an update, an invitation or a new member after which a group ends by itself.
    public static let idleSeconds = 21_600.0
    /// Seconds between two looks for idle groups; each stores which groups are active.
    public static let idleCheckSeconds = 600.0
    /// Days for which ended groups are kept.
    public static let keptDays = 30.0
    /// Largest number of groups that one statement ends or removes.
    static let atOnceMax: Int64 = 200
    /// Number of reads of a group that changes meanwhile.
    static let readsMax = 5

    static let notFound = RPCError(
        .notFound, "there is no such live group of yours: together.list has them", field: "group")
    static let ended = RPCError(.conflict, "the live group has ended", field: "group")
    static let hostOnly = RPCError(.forbidden, "only the host of the live group may do this", field: "group")
    static let notABuddy = RPCError(
        .notFound, "only buddies can be invited, and one of these people is none: buddies.list has yours",
        field: "invite")
    static let full = RPCError(
        .conflict, "a live group has at most \(LiveGroupLimits.membersMax) people: invite fewer", field: "invite")

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    let hub: Hub
    let table: LiveGroupTable
    let now: @Sendable () -> Timestamp
    private let exercises: Exercises
    private let body: BodyRecords
    /// Reminds accounts of an invitation.
    private let invited: @Sendable (UUID, [Int64]) async throws -> Void
    private let logger = Logger(label: "campanile.together")

    /// - Parameters:
    ///   - loop: The hub's loop.
    ///   - exercises: The catalogue.
    ///   - body: Body data, by which a joining member's exercises are marked as excluded.
    ///   - invited: Reminds accounts of an invitation to a group.
    ///   - now: The server's wall clock.
    public init(
        loop: EventLoop, database: PostgresPool, hub: Hub, exercises: Exercises, body: BodyRecords,
        invited: @escaping @Sendable (UUID, [Int64]) async throws -> Void = { _, _ in },
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        self.loop = loop
        self.database = database
        self.hub = hub
        self.exercises = exercises
        self.body = body
        self.invited = invited
        self.now = now
        table = LiveGroupTable(database: database)
    }

    // MARK: Reading

    /// Subscribes a connection of a member.
    /// - Parameter reply: Encodes the reply around the snapshot as JSON.
    /// - Throws: ``Wire/RPCError``, the same for all who may not; ``Postgres/PostgresError``.
    public func watch(
        _ subscriber: any Subscriber, _ id: UUID, as account: Int64, reply: @Sendable (LiveGroupSnapshot) -> [UInt8]
    ) async throws {
        for _ in 0..<Self.readsMax {
            guard let stored = try await table.groups([id]).first else { break }
            do {
                return try await hub.liveGroups.subscribe(subscriber, to: stored, as: account, reply: reply)
            } catch is LiveGroupFeed.Outdated {
                continue
            } catch is LiveGroupFeed.NotAMember {
                break
            } catch is LiveGroupFeed.TooManyGroups {
                throw Self.tooMany
            }
        }
        throw RPCError(
            .notFound, "there is no such live group, or you do not take part: use together.join", field: "topic")
    }

    static let tooMany = RPCError(
        .unavailable, "too many live groups at the moment: try again in a minute", retryAfter: 60)

    private static let listSQL = """
        SELECT \(LiveGroupTable.columns) FROM live_group_members m JOIN \(LiveGroupTable.tables) ON g.id = m.group_id
        WHERE m.account_id = $1 AND m.state <> 'removed' AND g.ended_at IS NULL AND NOT is_blocked(g.host_id, $1)
        ORDER BY m.state IN ('joined', 'finished') DESC, g.created_at DESC, g.id LIMIT $2
        """

    /// Lists open groups of the caller. Invitations are among them; groups that the caller declined or left are, too, as it may come back.
    /// Groups in which the caller takes part come first: it is in at most ``groupsMax``, so that invitations push none
    /// of them out.
    /// - Throws: ``Postgres/PostgresError``.
    public func list(of identity: Identity) async throws -> LiveGroupList {
        let account = identity.account.id
        let stored = try await database.query(Self.listSQL, [.int(account), .int(Self.listedMax)])
            .map(StoredLiveGroup.init)
        var groups: [LiveGroup] = []
        for group in stored { groups.append(await hub.liveGroups.rendition(of: group, for: account)) }
        return LiveGroupList(groups: groups)
    }

    static func id(_ text: String, _ field: String = "group") throws -> UUID {
        guard let id = UUID(uuidString: try Inputs.clientID(text, field)) else { throw notFound }
        return id
    }

    func exercises(of plan: WorkoutPlan, for account: Int64) async throws -> [Exercise] {
        let body = try await body.known(of: account).present
        return await exercises.exercises(of: plan, for: body)
    }

    // MARK: Changes

    /// A group in a transaction that changes it.
    struct Locked: Sendable {
        let group: StoredLiveGroup
        /// State of the caller.
        let member: StoredLiveMember

        var isHost: Bool { group.host == member.account }
    }

    /// Locks a group of the caller. The lock serialises all changes of its members.
    /// - Throws: ``notFound`` for everybody who is not a member: without a group, without an invitation, removed, or separated from the
    ///   host by a block.
    static func lock(_ id: UUID, for identity: Identity, _ transaction: PostgresTransaction) async throws -> Locked {
        let account = identity.account.id
        try await identity.requireValidToken(in: transaction)
        let rows = try await transaction.query(
            "SELECT 1 FROM live_groups g WHERE g.id = $1 AND NOT is_blocked(g.host_id, $2) FOR NO KEY UPDATE OF g",
            [.uuid(id.uuidString), .int(account)])
        guard !rows.isEmpty, let group = try await LiveGroupTable.group(id, transaction),
            let member = group.member(account)
        else { throw notFound }
        return Locked(group: group, member: member)
    }

    /// Runs a change in a transaction, and applies it on all nodes.
    /// - Returns: The group after the change; nil if nothing changed.
    @discardableResult
    func change(
        _ id: UUID, _ body: @escaping @Sendable (PostgresTransaction) async throws -> Void
    ) async throws -> StoredLiveGroup {
        let stored: StoredLiveGroup?
        do {
            stored = try await database.transaction { transaction in
                try await body(transaction)
                return try await LiveGroupTable.group(id, transaction)
            }
        } catch let error as PostgresError {
            // The change may be committed. Nothing is published until that is known.
            await hub.liveGroups.markInDoubt(id)
            throw error
        }
        guard let stored else { throw Self.notFound }
        await hub.liveGroups.changed(stored)
        return stored
    }

    /// Notifies devices that a group is new, or has changed for their accounts.
    func signal(_ id: UUID, _ accounts: some Sequence<Int64>, by author: Int64) async {
        let signal = UserSignal(type: .group, group: id.uuidString.lowercased())
        await hub.signals.publish(accounts.map { AccountSignal($0, signal) }, by: author)
    }

    func logFailure(_ error: any Error) {
        logger.warning("the end of a member's training is not shown in its group", metadata: ["error": "\(error)"])
    }

    func remind(_ id: UUID, _ accounts: [Int64]) async {
        do {
            try await invited(id, accounts)
        } catch {
            logger.warning("an invitation to a live group has no reminder", metadata: ["error": "\(error)"])
        }
    }
}
