import Bus
import EventLoop
import HubCore
import Wire

/// Live groups with members at several nodes. Each node with the group in memory announces the progress that it received and the members
/// that are connected there. The latest progress of a member wins. All of it is announced again with each sweep, so that the nodes agree
/// after lost messages.
extension LiveGroupFeed {
    func joinNodes() throws {
        subscription = try listen(to: NodeSubjects.groups.map { .init($0) }) { $0.receiveGroups($1) }
        for room in rooms.values { follow(room) }
    }

    package func leftNodes() {
        subscription?.cancel()
        subscription = nil
        for room in rooms.values {
            room.subscription?.cancel()
            room.subscription = nil
            room.elsewhere = [:]
        }
    }

    // MARK: Members

    /// Sends a message to all other nodes, and returns when they have applied it, or after ``HubCore/NodeLink/answerTimeMax``. A node that
    /// has not answered then finds the change in PostgreSQL.
    func askGroups(_ message: LiveGroupMessage) async {
        guard let link, !link.others.isEmpty else { return }
        _ = await core.ask(Self.encode(message), of: NodeSubjects.groups)
    }

    private static func encode(_ message: LiveGroupMessage) -> [UInt8] {
        NodeMessage.groups((try? WireJSON.encode(message)) ?? []).encoded
    }

    private func receiveGroups(_ event: BusEvent) {
        switch event {
        // Changes that were announced before this are stored. If they cannot be read now, the next confirmation finds them.
        case .live: Task { try? await confirmGroups() }
        case .missed: core.markInDoubt()
        case .message(let message):
            guard let content = decode(message) else { return core.markInDoubt() }
            switch content {
            case .changed(let stored): apply(stored)
            case .account(let account): endLocally(of: account)
            case .done, .state: return
            }
            guard message.request != nil else { return }
            Task {
                await drain()
                link?.answer(message, with: Self.encode(.done))
            }
        }
    }

    private func decode(_ message: BusMessage) -> LiveGroupMessage? {
        guard case .groups(let bytes)? = read(message) else { return nil }
        return try? WireJSON.decode(LiveGroupMessage.self, from: bytes)
    }

    // MARK: Progress

    /// Follows the progress at other nodes.
    func follow(_ room: LiveGroupRoom) {
        guard let link, room.subscription == nil else { return }
        let id = room.stored.id
        do {
            room.subscription = try listen(to: NodeSubjects.group(id).map { .init($0) }) { feed, event in
                guard let room = feed.rooms[id] else { return }
                switch event {
                // Also after messages may have been lost, the other nodes send all that they have.
                case .live, .missed: feed.announce(room, isComplete: true, isAsking: true)
                case .message(let message):
                    guard case .state(id, let progress, let present, let isAsking)? = feed.decode(message) else {
                        return
                    }
                    feed.take(progress, present: present, in: room, from: message.node)
                    if isAsking { feed.announce(room, isComplete: true) }
                }
            }
        } catch {
            link.logger.error("a live group cannot be followed", metadata: ["group": "\(id)", "error": "\(error)"])
        }
    }

    /// Sends what changed here since the last message. Called with each tick.
    func sendChanges(of room: LiveGroupRoom) {
        guard link?.others.isEmpty == false else { return }
        guard room.isPresenceUnsent || room.members.values.contains(where: \.isUnsent) else { return }
        // No node that has the group gets nothing; a node that opens it asks.
        guard !room.elsewhere.isEmpty || room.isPresenceUnsent else { return }
        announce(room, isComplete: false)
    }

    /// Sends the progress of members, and who is connected here.
    /// - Parameter isComplete: Of all members; otherwise of those that were updated here since the last message.
    func announce(_ room: LiveGroupRoom, isComplete: Bool, isAsking: Bool = false) {
        guard link?.others.isEmpty == false else { return }
        var progress: [LiveGroupMessage.Progress] = []
        for (account, member) in room.members where isComplete || member.isUnsent {
            room[account]?.isUnsent = false
            guard let position = member.position, let at = member.updatedAt else { continue }
            progress.append(.init(account: account, position: position, at: at))
        }
        room.isPresenceUnsent = false
        let message = LiveGroupMessage.state(room.stored.id, progress, present: room.presentHere, isAsking: isAsking)
        link?.publish(Self.encode(message), on: NodeSubjects.group(room.stored.id))
    }

    private func take(
        _ progress: [LiveGroupMessage.Progress], present: [Int64], in room: LiveGroupRoom, from node: NodeID
    ) {
        let wasPresent = room.accounts.filter(room.isPresent)
        room.elsewhere[node] = (Set(present.prefix(LiveGroupLimits.membersMax)), monotonic())
        notePresence(in: room, before: wasPresent)
        for one in progress {
            guard let member = room[one.account], member.stored.takesPart,
                one.at > member.updatedAt ?? Timestamp(milliseconds: 0)
            else {
                continue
            }
            var position = one.position
            if !member.stored.sharesZone { position.zone = nil }
            room[one.account]?.position = position
            room[one.account]?.updatedAt = one.at
            room[one.account]?.isMoved = true
        }
        if room.hasChanges { markChanged(room) }
    }

    private func notePresence(in room: LiveGroupRoom, before: Set<Int64>) {
        for account in room.accounts where room.isPresent(account) != before.contains(account) {
            room[account]?.isChanged = true
        }
        if room.hasChanges { markChanged(room) }
    }

    /// Drops the presence of nodes that have not announced it in time.
    func forgetSilent() {
        let now = monotonic()
        let limit = Duration.nanoseconds(ofSeconds: LiveGroupLimits.voidSeconds)
        for room in rooms.values where room.elsewhere.values.contains(where: { now > $0.received + limit }) {
            let before = room.accounts.filter(room.isPresent)
            room.elsewhere = room.elsewhere.filter { now <= $0.value.received + limit }
            notePresence(in: room, before: before)
            // A sweep announces no group without another node. A node that still has the group answers.
            if room.elsewhere.isEmpty { announce(room, isComplete: false, isAsking: true) }
        }
    }

    package func lost(_ node: NodeID, isSilent: Bool) {
        for room in rooms.values where room.elsewhere[node] != nil {
            let before = room.accounts.filter(room.isPresent)
            room.elsewhere[node] = nil
            notePresence(in: room, before: before)
        }
    }

    package func joined(_ node: NodeID) {
        for room in rooms.values where !room.viewers.isEmpty {
            room.isPresenceUnsent = true
            markChanged(room)
        }
    }
}
