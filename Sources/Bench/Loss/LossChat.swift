import CampanileClient
import Foundation
import Postgres
import Synchronization
import Wire

/// Traffic of conversations: groups of ten, and direct conversations of each group's owner with every other member.
/// Each account has one to three devices. Some devices open conversations; all receive their account's signals.
final class LossChat: LossTraffic {
    static let groupMembers = 10
    /// Maximum conversations that a device opens.
    private static let openMax = 3
    /// Maximum devices of an account; the third opens no conversation.
    private static let devicesMax = 3
    /// One connection in this many sends requests that must be refused.
    private static let intrusionOneOf = 10

    /// A conversation at the start of the run.
    struct Room: Sendable {
        let id: Int64
        let isGroup: Bool
        /// Indices of the accounts that stay.
        let members: [Int]
        /// Index of the account that leaves a group at half-time.
        var leaver: Int?
        var start = TopicPosition(epoch: 0, offset: 0)
        var topic: String { "chat/\(id)" }
    }

    let things = "messages and their changes"
    let devices: [LossDevice]
    let writers: [String?]
    let recoveryMax: Int64 = 5_000
    /// Account ids, by index of ``IdleScenario/token(_:)``.
    let accounts: [Int64]
    let rooms: [Room]
    let byTopic: [String: Room]
    /// By account index, the rooms in which it stays.
    let roomsOf: [[Room]]
    /// By writer, the index of its account.
    let writerAccounts: [Int]
    /// True once the groups' last members have begun to leave.
    let isLeaving = Atomic<Bool>(false)
    /// By conversation, the newest messages that are not deleted, as targets for reactions.
    let recent = Mutex<[Int64: [Int64]]>([:])

    init(_ options: LossOptions, accounts: [Int64], rooms: [Room]) {
        var roomsOf = accounts.map { _ in [Room]() }
        for room in rooms { for member in room.members { roomsOf[member].append(room) } }
        self.accounts = accounts
        self.rooms = rooms
        self.roomsOf = roomsOf
        byTopic = Dictionary(uniqueKeysWithValues: rooms.map { ($0.topic, $0) })
        writerAccounts = (0..<options.publishers).map { $0 * accounts.count / options.publishers % accounts.count }
        writers = writerAccounts.map { IdleScenario.token($0) }
        devices = (0..<options.clients).map { index in
            let (account, round) = (index % accounts.count, index / accounts.count % Self.devicesMax)
            let own = rooms.filter { $0.members.contains(account) || $0.leaver == account }
            let openCount = [Self.openMax, 1, 0][round]
            // The second device of an account starts with another conversation than the first.
            let open = (0..<min(openCount, own.count)).map { own[(round + $0) % own.count] }
            return LossDevice(
                token: IdleScenario.token(account), account: accounts[account],
                ledgers: open.map { LossLedger(topic: $0.topic, account: accounts[account], start: $0.start) })
        }
    }

    // MARK: Devices

    func greet(_ device: LossDevice, on connection: CampanileConnection, tally: LossTally) async throws {
        let own = conversations(of: device.account)
        let left = Set(rooms.filter { $0.leaver.map { accounts[$0] } == device.account }.map(\.id))
        let lastSignals = Mutex<[Int64: Int64]>([:])
        try await connection.follow(user: device.account) { signal in
            tally.change { state in
                state.signals += 1
                guard let conversation = signal.conversation else { return }
                if !own.contains(conversation) { state.foreign += 1 }
                guard signal.type == .message, let offset = signal.offset else { return }
                if left.contains(conversation) {
                    state.leaversSignals[conversation] = max(offset, state.leaversSignals[conversation] ?? 0)
                }
                lastSignals.withLock { lastSignals in
                    // Between nodes, the commits of two conversations have no common order, so only duplicates are
                    // checked.
                    if lastSignals[conversation] == offset { state.doubledSignals += 1 }
                    lastSignals[conversation] = offset
                }
            }
        }
        if Int.random(in: 0..<Self.intrusionOneOf) == 0 {
            try await intrude(device, own: own, on: connection, tally: tally)
        }
    }

    private func conversations(of account: Int64) -> Set<Int64> {
        guard let index = accounts.firstIndex(of: account) else { return [] }
        return Set(rooms.filter { $0.members.contains(index) || $0.leaver == index }.map(\.id))
    }

    /// Requests a foreign conversation and another account's signals, which the server must refuse.
    private func intrude(
        _ device: LossDevice, own: Set<Int64>, on connection: CampanileConnection, tally: LossTally
    ) async throws {
        guard let room = rooms.filter({ !own.contains($0.id) }).randomElement(),
            let other = accounts.filter({ $0 != device.account }).randomElement()
        else { return }
        let requests: [@Sendable () async throws -> Void] = [
            {
                try await self.follow(room.topic, since: room.start, on: connection) { _ in
                    tally.change { $0.foreign += 1 }
                }
            },
            { try await connection.follow(user: other) { _ in tally.change { $0.foreign += 1 } } },
            { _ = try await connection.call(ChatHistory.self, .init(conversation: room.id)) },
            {
                _ = try await connection.call(
                    ChatSend.self, .init(conversation: room.id, id: UUID().uuidString, text: "intruder"))
            },
        ]
        for request in requests {
            tally.change { $0.foreignRequests += 1 }
            do {
                try await request()
                tally.trouble("a request for another account's data was accepted")
            } catch let error as RPCError where [.notFound, .forbidden].contains(error.registered) {
                continue
            }
        }
    }

    func follow(
        _ topic: String, since: TopicPosition?, on connection: CampanileConnection,
        onEvent: @escaping @Sendable (LossEvent) -> Void
    ) async throws {
        try await connection.follow(log: topic, of: ChatEvent.self, since: since) { event in
            onEvent(LossEvent(event) { Self.item($0) })
        }
    }

    private static func item(_ publication: Publication<ChatEvent>) -> LossItem {
        let event = publication.data
        return LossItem(
            offset: publication.offset,
            id: id(
                event.type.rawValue, by: event.by, client: event.id, target: event.message,
                emoji: event.emoji?.rawValue, on: event.on, member: event.account),
            stamp: event.type == .message ? event.text.flatMap(LossStamp.init) : nil)
    }

    /// The identity of an event, which is the same in the table, at subscribers and at writers.
    static func id(
        _ kind: String, by author: Int64, client: String? = nil, target: Int64? = nil, emoji: String? = nil,
        on: Bool? = nil, member: Int64? = nil
    ) -> String {
        var id = "\(kind) \(author)"
        if let client { id += " \(client)" }
        if let target { id += " \(target)" }
        if let emoji { id += " \(emoji)" }
        if let on { id += " \(on)" }
        if let member { id += " \(member)" }
        return id
    }

    // MARK: Leaving a group

    func hasLeft(_ ledger: LossLedger) -> Bool {
        guard isLeaving.load(ordering: .relaxed), let leaver = byTopic[ledger.topic]?.leaver else { return false }
        return accounts[leaver] == ledger.account
    }

    var interlude: [(token: String, write: LossWrite)] {
        rooms.compactMap { room in
            guard let leaver = room.leaver else { return nil }
            let account = accounts[leaver]
            let write = LossWrite(
                id: Self.id(ChatEvent.Kind.left.rawValue, by: account, member: account), author: account
            ) { [self] connection in
                isLeaving.store(true, ordering: .relaxed)
                let position = LossPosition(topic: room.topic, epoch: room.start.epoch, offset: nil)
                do {
                    _ = try await connection.call(GroupLeave.self, .init(conversation: room.id))
                } catch let error as RPCError where error.registered == .notFound {
                    // An earlier attempt succeeded, but its answer was lost.
                }
                return position
            }
            return (IdleScenario.token(leaver), write)
        }
    }
}
