import Foundation
import WebSocket
import Wire

/// Members of live groups that each send their progress once a second and receive that of their group. One thread drives it.
final class TogetherFleet {
    static let membersPerGroup = 4
    static let exercise = "campanile/push-up"
    /// One member of each group decodes the publications, and only its latencies count.
    private static let auditedMember = 0
    private static let intervalNanoseconds: UInt64 = 1_000_000_000
    /// Largest number of a sequence in a position; afterwards it begins again.
    private static let sequenceMax = 1_000

    /// A member with its connection.
    final class Member {
        let client: RaceClient
        let username: String
        let group: UUID
        let isAudited: Bool
        var due: UInt64 = 0
        var sequence = 0
        /// Times of the latest updates, by their sequence.
        var sentAt: [UInt64]

        init(_ client: RaceClient, username: String, group: UUID, isAudited: Bool) {
            self.client = client
            self.username = username
            self.group = group
            self.isAudited = isAudited
            sentAt = Array(repeating: 0, count: TogetherFleet.sequenceMax)
        }
    }

    private let load = LoadLoop()
    private var members: [Member] = []
    private var bySocket: [Int32: Member] = [:]
    private var byName: [String: Member] = [:]
    private var isCounting = false
    private(set) var sent = 0
    private(set) var acknowledged = 0
    private(set) var deliveries = 0
    private(set) var deliveredBytes = 0
    private(set) var unmatched = 0
    private(set) var errors = 0
    /// Of a member's update until a buddy has it, and until the member has the reply.
    private(set) var latency = LatencyHistogram()

    var count: Int { members.count }
    /// Number of connections that the server ended.
    var lost: Int { members.count { $0.client.hasEnded || $0.client.socket.hasEnded } }

    /// Connects a member, and subscribes it to its group.
    func add(port: UInt16, account: Int, group: UUID, position: Int) throws {
        let socket = try LoadSocket(port: port, source: UInt16(1 + account / 1_000))
        try socket.upgrade(path: "/ws")
        let client = RaceClient(socket)
        client.send(
            request: Hello.self,
            .init(token: IdleScenario.token(account), client: .init(name: "campanile bench", version: "1")))
        load.add(socket)
        _ = try client.awaitReply(to: Hello.self, load)
        client.send(request: Subscribe.self, .init(topic: "workout/\(group.uuidString.lowercased())"))
        _ = try client.awaitReply(Subscribed<LiveGroupSnapshot>.self, to: Subscribe.name, load)
        let member = Member(
            client, username: "bench\(account)", group: group, isAudited: position == Self.auditedMember)
        members.append(member)
        bySocket[socket.descriptor] = member
        byName[member.username] = member
    }

    /// Spreads the updates evenly over the second, those of a group as well: people who train together do not move in step.
    func begin() {
        let now = LoadLoop.now
        let groups = max(1, members.count / Self.membersPerGroup)
        for (index, member) in members.enumerated() {
            let place = index % Self.membersPerGroup * groups + index / Self.membersPerGroup
            member.due = now + UInt64(place) * Self.intervalNanoseconds / UInt64(max(1, members.count))
        }
    }

    func beginCounting() {
        isCounting = true
        (sent, acknowledged, deliveries, deliveredBytes, unmatched) = (0, 0, 0, 0, 0)
        latency = LatencyHistogram()
    }

    /// Sends what is due and takes what has arrived, without waiting.
    func step(_ now: UInt64) {
        for member in members where member.due <= now { update(member, now) }
        load.pollAll { socket in
            guard let member = bySocket[socket.descriptor] else { return }
            member.client.receive(load.buffer) { take($0, by: member) }
        }
    }

    private func update(_ member: Member, _ now: UInt64) {
        member.due += Self.intervalNanoseconds
        member.sequence = (member.sequence + 1) % Self.sequenceMax
        member.sentAt[member.sequence] = now
        let position = TrainingPosition(
            phase: .exercise, exercise: Self.exercise, set: 2, sets: 4, setsDone: member.sequence, setsTotal: 1_000,
            zone: 3)
        member.client.send(
            request: TogetherUpdate.self, .init(group: member.group.uuidString.lowercased(), position: position))
        if isCounting { sent += 1 }
    }

    private func take(_ event: WebSocketEvent, by member: Member) {
        guard case .text(let json) = event else { return }
        guard RaceClient.isPublication(json) else {
            if isCounting { acknowledged += 1 }
            if json.firstRange(of: Self.failure) != nil { errors += 1 }
            return
        }
        if isCounting {
            deliveries += 1
            deliveredBytes += json.count
        }
        guard member.isAudited else { return }
        let now = LoadLoop.now
        guard let update = try? WireJSON.decode(Push<LiveGroupUpdate>.self, from: json).params.data else {
            errors += 1
            return
        }
        guard isCounting else { return }
        for shown in update.members ?? [] where shown.username != member.username {
            guard let position = shown.position, let sender = byName[shown.username],
                sender.sentAt.indices.contains(position.setsDone), sender.sentAt[position.setsDone] > 0
            else {
                unmatched += 1
                continue
            }
            latency.record(nanoseconds: now - sender.sentAt[position.setsDone])
        }
    }

    private static let failure = Array(#""error":{"#.utf8)
}
