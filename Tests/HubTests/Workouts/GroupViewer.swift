import EventLoop
import Foundation
import Synchronization
import TestSupport
import Wire

@testable import Hub
@testable import HubCore

/// Live groups as PostgreSQL has them in a test.
final class GroupMemory: LiveGroupStore {
    private let state = Mutex<(groups: [UUID: StoredLiveGroup], isAway: Bool)>(([:], false))

    struct Away: Error {}

    func store(_ group: StoredLiveGroup) { state.withLock { $0.groups[group.id] = group } }
    func remove(_ id: UUID) { state.withLock { $0.groups[id] = nil } }
    func set(isAway: Bool) { state.withLock { $0.isAway = isAway } }

    func groups(_ ids: [UUID]) async throws -> [StoredLiveGroup] {
        try state.withLock { state in
            guard !state.isAway else { throw Away() }
            return ids.compactMap { state.groups[$0] }
        }
    }

    func changed(_ versions: [UUID: Int64]) async throws -> (changed: [StoredLiveGroup], gone: [UUID]) {
        let found = try await groups(Array(versions.keys))
        return (
            found.filter { $0.version != versions[$0.id] },
            versions.keys.filter { id in !found.contains { $0.id == id } }
        )
    }
}

extension StoredLiveGroup {
    static let exercise = "campanile/push-up"

    /// A group with host 1, named `user1`, and further members.
    static func test(
        _ members: [Int64] = [1, 2, 3], version: Int64 = 1, sharing: Set<Int64> = [], id: UUID = UUID()
    ) -> StoredLiveGroup {
        StoredLiveGroup(
            id: id, version: version, title: "Legs", host: 1, hostName: "user1",
            createdAt: Timestamp(milliseconds: 1_795_190_400_000), exercises: [exercise],
            members: members.map {
                StoredLiveMember(account: $0, username: "user\($0)", state: .joined, sharesZone: sharing.contains($0))
            })
    }

    /// The group after a change.
    func with(_ account: Int64, _ state: LiveMemberState?, sharesZone: Bool = false) -> StoredLiveGroup {
        var group = self
        group.version += 1
        group.members.removeAll { $0.account == account }
        if let state {
            group.members.append(
                StoredLiveMember(account: account, username: "user\(account)", state: state, sharesZone: sharesZone))
        }
        return group
    }

    func ended() -> StoredLiveGroup {
        var group = self
        group.version += 1
        group.endedAt = createdAt
        return group
    }
}

extension TrainingPosition {
    static func set(_ number: Int, zone: Int? = nil, phase: TrainingPhase = .exercise) -> TrainingPosition {
        TrainingPosition(
            phase: phase, exercise: StoredLiveGroup.exercise, set: number, sets: 4, setsDone: number, setsTotal: 12,
            zone: zone)
    }
}

/// A connection of a member, and the group as its client shows it.
final class GroupViewer: Sendable {
    let viewer: RecordingViewer
    let account: Int64
    private struct State {
        var members: [String: LiveGroupMember] = [:]
        var updates: [LiveGroupUpdate] = []
        var text = ""
    }
    private let state = Mutex(State())

    init(_ group: StoredLiveGroup, as account: Int64, on hub: Hub, loop: EventLoop) async throws {
        self.account = account
        viewer = RecordingViewer(loop: loop)
        try await hub.liveGroups.subscribe(
            viewer, to: group, as: account, reply: RecordingViewer.reply(.workout(group.id)))
        _ = try await read()
    }

    private struct Kind: Decodable { let method: String? }

    /// The updates since the last call, applied as a client does.
    @discardableResult
    func read() async throws -> [LiveGroupUpdate] {
        var fresh: [LiveGroupUpdate] = []
        for message in await viewer.take().flatMap(\.messages) {
            let json = RecordingViewer.payload(of: message.frame)
            state.withLock { $0.text += String(decoding: json, as: UTF8.self) }
            if try WireJSON.decode(Kind.self, from: json).method == "push" {
                fresh.append(try WireJSON.decode(Push<LiveGroupUpdate>.self, from: json).params.data)
            } else {
                let reply = try WireJSON.decode(Success<Subscribed<LiveGroupSnapshot>>.self, from: json)
                let members = reply.result.snapshot.group.members
                state.withLock { $0.members = Dictionary(members.map { ($0.username, $0) }) { $1 } }
            }
        }
        let updates = fresh
        state.withLock { state in
            for update in updates {
                if update.full == true { state.members = [:] }
                for member in update.members ?? [] { state.members[member.username] = member }
                for name in update.gone ?? [] { state.members[name] = nil }
            }
            state.updates += updates
        }
        return updates
    }

    func members() async throws -> [String: LiveGroupMember] {
        try await read()
        return state.withLock { $0.members }
    }

    func member(_ account: Int64) async throws -> LiveGroupMember? { try await members()["user\(account)"] }

    /// Everything that was ever sent to the connection.
    func everything() async throws -> String {
        try await read()
        return state.withLock { $0.text }
    }
}
