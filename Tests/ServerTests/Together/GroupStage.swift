import Foundation
import Postgres
import TestSupport
import Wire

@testable import Server

/// A host with a workout and people who train with it.
struct GroupStage: Sendable {
    static let exercise = "campanile/push-up"
    /// Nobody else's text holds this.
    static let secret = "Legs-zq7365"

    /// One server for all tests of live groups. They make more people at once than the limits of new accounts allow.
    static var server: TestServer {
        get async throws { try await task.value }
    }
    private static let task = Task { try await TestServer.start { $0.rateLimits = .off } }

    let server: TestServer
    let host: ChatPerson
    let workout = UUID().uuidString.lowercased()
    let group = UUID().uuidString.lowercased()

    init(_ server: TestServer) async throws {
        self.server = server
        host = try await ChatPerson(server)
        try await Self.addWorkout(workout, of: host.id, server)
    }

    static let plan = WorkoutPlan(
        title: secret, type: .strength, intensity: .moderate, minutes: 30, place: .gym, equipment: [], tags: [],
        sections: [
            WorkoutSection(
                kind: .main,
                groups: [
                    WorkoutGroup(entries: [
                        WorkoutEntry(
                            id: UUID().uuidString.lowercased(), exercise: exercise, sets: [PlannedSet(reps: 10)],
                            restSeconds: 60)
                    ])
                ])
        ], videos: [])

    static func addWorkout(
        _ workout: String, of account: Int64, _ server: TestServer, scheduledAt: Timestamp? = nil
    ) async throws {
        let database = try await server.database()
        defer { database.close() }
        let plan = String(decoding: try WireJSON.encode(plan), as: UTF8.self)
        _ = try await database.query(
            """
            INSERT INTO workouts (account_id, id, revision, plan, created_at, changed_at, used_at, scheduled_at)
            VALUES ($1, $2, 1, $3::text::jsonb, now(), now(), clock_timestamp(), $4)
            """,
            [.int(account), .uuid(workout), .text(plan), .optional(timestamp: scheduledAt?.milliseconds)])
    }

    /// A buddy of the host, at any server of the campus.
    func buddy(at other: TestServer? = nil) async throws -> ChatPerson {
        let person = try await ChatPerson(other ?? server)
        try await host.acquaint(with: [person.id], server)
        return person
    }

    @discardableResult
    func create(_ people: [ChatPerson], sharesZone: Bool = false) async throws -> LiveGroup {
        try await host.client.call(
            TogetherCreate.self,
            .init(id: group, workout: workout, invite: people.map(\.username), sharesZone: sharesZone))
    }

    @discardableResult
    func join(_ person: ChatPerson, sharesZone: Bool = false) async throws -> LiveGroupJoined {
        try await person.client.call(TogetherJoin.self, .init(group: group, sharesZone: sharesZone))
    }

    func watch(_ client: ChatClient) async throws -> String {
        try await client.ask("subscribe", #"{"topic":"workout/\#(group)"}"#)
    }

    func update(
        _ client: ChatClient, set: Int, phase: TrainingPhase = .exercise, zone: Int? = nil, sharesZone: Bool? = nil
    ) async throws {
        let position = TrainingPosition(
            phase: phase, exercise: Self.exercise, set: set, sets: 4, setsDone: set, setsTotal: 12, zone: zone)
        _ = try await client.call(
            TogetherUpdate.self, .init(group: group, position: position, sharesZone: sharesZone))
    }

    /// Members as the client of a connection shows them.
    func members(_ client: ChatClient) -> [String: LiveGroupMember] {
        var members: [String: LiveGroupMember] = [:]
        for frame in client.frames {
            let bytes = Array(frame.utf8)
            if let reply = try? WireJSON.decode(Success<Subscribed<LiveGroupSnapshot>>.self, from: bytes).result,
                reply.topic == "workout/\(group)"
            {
                members = Dictionary(reply.snapshot.group.members.map { ($0.username, $0) }) { $1 }
            }
            guard let push = try? WireJSON.decode(Push<LiveGroupUpdate>.self, from: bytes).params,
                push.topic == "workout/\(group)"
            else { continue }
            if push.data.full == true { members = [:] }
            for member in push.data.members ?? [] { members[member.username] = member }
            for name in push.data.gone ?? [] { members[name] = nil }
        }
        return members
    }

    func waitFor(
        _ what: String, _ client: ChatClient, _ body: @Sendable ([String: LiveGroupMember]) -> Bool
    ) async throws {
        _ = try await eventually(what) { body(members(client)) ? true : nil }
    }

    /// Reason of the end of the subscription; nil before.
    func closed(_ client: ChatClient) -> String? {
        client.frames.compactMap { try? WireJSON.decode(Push<LiveGroupUpdate>.self, from: Array($0.utf8)).params }
            .last { $0.topic == "workout/\(group)" && $0.data.type == .closed }?.data.reason
    }

    func waitUntilClosed(_ client: ChatClient) async throws -> String {
        try await eventually("the subscription ends") { closed(client) }
    }
}
