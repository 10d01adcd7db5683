import Foundation
import TestSupport
import Testing
import Wire

@testable import Server

/// What an attacker gets of a live group: nothing.
@Suite("Attacks on live groups")
struct TogetherAttackTests {
    /// What an attacker may be.
    enum Attacker: String, CaseIterable, Sendable {
        case guest, stranger, buddy, invited, declined, left, removed, hasBlockedHost, isBlockedByHost
    }

    private struct World: Sendable {
        let stage: GroupStage
        let client: ChatClient
        let attacker: Attacker
        let username: String
        /// A member that takes part, and an invited person.
        let others: [ChatPerson]
    }

    /// A group in which the host trains and shares its zone, and an attacker of a kind.
    private func world(_ attacker: Attacker) async throws -> World {
        let stage = try await GroupStage(try await GroupStage.server)
        let others = [try await stage.buddy(), try await stage.buddy()]
        guard attacker != .guest else {
            try await stage.create(others, sharesZone: true)
            return World(
                stage: stage, client: try await ChatClient(stage.server), attacker: attacker, username: "nobody",
                others: others)
        }
        let person = attacker == .stranger ? try await ChatPerson(stage.server) : try await stage.buddy()
        let isInvited = attacker != .stranger && attacker != .buddy
        try await stage.create(isInvited ? others + [person] : others, sharesZone: true)
        try await stage.join(others[0])
        if isInvited, attacker != .invited, attacker != .declined {
            try await stage.join(person)
            _ = try await stage.watch(person.client)
        }
        switch attacker {
        case .guest, .stranger, .buddy, .invited: break
        case .declined, .left: _ = try await person.client.call(TogetherLeave.self, .init(group: stage.group))
        case .removed:
            _ = try await stage.host.client.call(
                TogetherRemove.self, .init(group: stage.group, username: person.username))
        case .hasBlockedHost: _ = try await person.client.call(SafetyBlock.self, .init(account: stage.host.id))
        case .isBlockedByHost: _ = try await stage.host.client.call(SafetyBlock.self, .init(account: person.id))
        }
        if ![.stranger, .buddy, .invited, .declined].contains(attacker) {
            _ = try await stage.waitUntilClosed(person.client)
        }
        return World(
            stage: stage, client: person.client, attacker: attacker, username: person.username, others: others)
    }

    @Test("Nobody but a member gets the progress, by any method or the topic", arguments: Attacker.allCases)
    func nothing(_ attacker: Attacker) async throws {
        let world = try await world(attacker)
        let (stage, group) = (world.stage, world.stage.group)
        let before = world.client.frames.count
        try await stage.update(stage.host.client, set: 77, zone: 5)
        let position = #"{"phase":"rest","setsDone":1,"setsTotal":2}"#
        var questions = [
            ("subscribe", #"{"topic":"workout/\#(group)"}"#),
            ("together.update", #"{"group":"\#(group)","position":\#(position)}"#),
            ("together.update", #"{"group":"\#(group)","position":\#(position),"sharesZone":true}"#),
            ("together.invite", #"{"group":"\#(group)","invite":["\#(world.username)"]}"#),
            ("together.remove", #"{"group":"\#(group)","username":"\#(stage.host.username)"}"#),
            ("together.end", #"{"group":"\#(group)"}"#),
        ]
        let mayJoin = [.invited, .declined, .left].contains(attacker)
        if !mayJoin { questions.append(("together.join", #"{"group":"\#(group)","sharesZone":false}"#)) }
        for (method, params) in questions {
            let answer = try await world.client.ask(method, params)
            #expect(answer.contains("\"error\""), "\(attacker) may \(method): \(answer)")
            // An id that does not exist gets the same.
            guard !mayJoin else { continue }
            let unknown = try await world.client.ask(
                method, params.replacingOccurrences(of: group, with: UUID().uuidString.lowercased()))
            #expect(answer == unknown, "\(attacker) learns by \(method) that the group exists")
        }
        let listed = try await world.client.ask("together.list")
        if !mayJoin { #expect(!listed.contains(group), "\(attacker)") }
        // Idempotent for everybody, and changes nothing.
        if attacker != .guest, !mayJoin {
            #expect(try await world.client.ask("together.leave", #"{"group":"\#(group)"}"#).contains("\"result\""))
        }
        try await stage.update(stage.host.client, set: 78, zone: 5)
        // Another tick has passed when the host has its own update.
        _ = try await stage.watch(stage.host.client)
        try await stage.waitFor("the host goes on", stage.host.client) { $0[stage.host.username]?.position?.set == 78 }
        let received = world.client.frames.dropFirst(before).joined()
        #expect(!received.contains("\"zone\"") && !received.contains("\"setsDone\""), "\(attacker) got \(received)")
        #expect(!received.contains("\"isPresent\":true"), "\(attacker)")
        if !mayJoin { #expect(!received.contains(GroupStage.secret), "\(attacker)") }
        for other in world.others {
            #expect(!received.contains(other.username), "\(attacker) learns who is in the group")
        }
    }

    @Test("A stranger, an account that does not exist and one behind a block cannot be told apart by an invitation")
    func invitations() async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        let (stranger, blocker, blocked) = (
            try await ChatPerson(stage.server), try await stage.buddy(), try await stage.buddy()
        )
        _ = try await blocker.client.call(SafetyBlock.self, .init(account: stage.host.id))
        _ = try await stage.host.client.call(SafetyBlock.self, .init(account: blocked.id))
        var answers: Set<String> = []
        for name in [stranger.username, blocker.username, blocked.username, "nobody-has-this-name"] {
            answers.insert(
                try await stage.host.client.ask(
                    "together.create",
                    #"{"id":"\#(stage.group)","workout":"\#(stage.workout)","invite":["\#(name)"],"sharesZone":false}"#)
            )
        }
        try await stage.create([])
        var more: Set<String> = []
        for name in [stranger.username, blocker.username, blocked.username, "nobody-has-this-name"] {
            more.insert(
                try await stage.host.client.ask(
                    "together.invite", #"{"group":"\#(stage.group)","invite":["\#(name)"]}"#))
            more.insert(
                try await stage.host.client.ask(
                    "together.remove", #"{"group":"\#(stage.group)","username":"\#(name)"}"#
                ).replacingOccurrences(of: name, with: "x"))
        }
        #expect(answers.count == 1 && answers.first?.contains("1003") == true)
        #expect(more.count == 2)
    }

    @Test("Another account's workout cannot be used, and another account's group id is taken")
    func foreign() async throws {
        let (stage, other) = (
            try await GroupStage(try await GroupStage.server), try await GroupStage(try await GroupStage.server)
        )
        try await stage.create([])
        let workout = try await other.host.client.ask(
            "together.create", #"{"id":"\#(other.group)","workout":"\#(stage.workout)","sharesZone":false}"#)
        let unknown = try await other.host.client.ask(
            "together.create", #"{"id":"\#(other.group)","workout":"\#(UUID().uuidString)","sharesZone":false}"#)
        #expect(workout == unknown && workout.contains("1003"))
        let taken = try await other.host.client.ask(
            "together.create", #"{"id":"\#(stage.group)","workout":"\#(other.workout)","sharesZone":false}"#)
        #expect(taken.contains("\"conflict\"") && !taken.contains(GroupStage.secret))
    }

    @Test("Two members with a block get nothing of each other", arguments: [true, false])
    func members(_ isBefore: Bool) async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        let (one, two) = (try await stage.buddy(), try await stage.buddy())
        // Only accounts that know each other can block.
        try await stage.host.group(with: [one.id, two.id], stage.server)
        try await stage.create([one, two])
        func block() async throws { _ = try await one.client.call(SafetyBlock.self, .init(account: two.id)) }
        if isBefore { try await block() }
        for person in [one, two] {
            try await stage.join(person)
            _ = try await stage.watch(person.client)
        }
        _ = try await stage.watch(stage.host.client)
        if !isBefore { try await block() }
        let before = [one, two].map { isBefore ? 0 : $0.client.frames.count }
        try await stage.update(one.client, set: 1)
        try await stage.update(two.client, set: 2)
        try await stage.waitFor("the host sees both", stage.host.client) {
            $0[one.username]?.position?.set == 1 && $0[two.username]?.position?.set == 2
        }
        for (person, other, start) in [(one, two, before[0]), (two, one, before[1])] {
            #expect(stage.members(person.client)[other.username] == nil)
            let received = person.client.frames.dropFirst(start).filter { !$0.contains("\"gone\"") }
            #expect(!received.contains { $0.contains(other.username) })
            let listed = try await person.client.call(TogetherList.self, Empty()).groups.first
            #expect(listed?.members.contains { $0.username == other.username } == false)
        }
    }

    @Test("A suspended member is cut off and the groups of a suspended host end")
    func suspension() async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        let (one, two) = (try await stage.buddy(), try await stage.buddy())
        try await stage.create([one, two])
        for person in [one, two] {
            try await stage.join(person)
            _ = try await stage.watch(person.client)
        }
        let services = try #require(await stage.server.server).environment.services
        let database = try await stage.server.database()
        defer { database.close() }
        func suspend(_ account: Int64) async throws {
            _ = try await database.query(
                "UPDATE accounts SET disabled_at = now(), disabled_reason = 'test' WHERE id = $1", [.int(account)])
            await services.hub.liveGroups.end(of: account)
        }
        try await suspend(one.id)
        #expect(try await stage.waitUntilClosed(one.client) == TopicCloseReason.notShared.rawValue)
        try await stage.waitFor("the others see it gone", two.client) { $0[one.username]?.state != .joined }
        try await suspend(stage.host.id)
        #expect(try await stage.waitUntilClosed(two.client) == TopicCloseReason.groupEnded.rawValue)
    }

    @Test("The end of a match does not cut a member off; deleting an account does")
    func leaving() async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        let (one, two) = (try await stage.buddy(), try await stage.buddy())
        try await stage.create([one, two])
        for person in [one, two] {
            try await stage.join(person)
            _ = try await stage.watch(person.client)
        }
        _ = try await stage.host.client.call(BuddiesRemove.self, .init(account: one.id))
        try await stage.update(stage.host.client, set: 3)
        try await stage.waitFor("the former buddy trains on", one.client) {
            $0[stage.host.username]?.position?.set == 3
        }
        _ = try await one.client.call(
            AccountDelete.self, .init(password: TestServer.password, username: one.username))
        try await stage.waitFor("the deleted account is gone", two.client) { $0[one.username] == nil }
        let database = try await stage.server.database()
        defer { database.close() }
        #expect(
            try await database.query("SELECT FROM live_group_members WHERE account_id = $1", [.int(one.id)]).isEmpty)
        _ = try await stage.host.client.call(
            AccountDelete.self, .init(password: TestServer.password, username: stage.host.username))
        #expect(try await stage.waitUntilClosed(two.client) == TopicCloseReason.groupEnded.rawValue)
        #expect(try await database.query("SELECT FROM live_groups WHERE id = $1", [.uuid(stage.group)]).isEmpty)
    }
}
