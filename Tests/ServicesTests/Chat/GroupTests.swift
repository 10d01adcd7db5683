import Foundation
import Hub
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Groups")
struct GroupTests {
    @Test("Made twice with one id it is one group, also at once, and another's id is another group")
    func again() async throws {
        let world = try await ChatWorld()
        let (anna, berta, _) = try await world.pair()
        let id = World.newID()
        let made = try await withThrowingTaskGroup(of: Int64.self) { tasks in
            for number in 0..<6 {
                tasks.addTask {
                    try await world.chat.create(
                        .init(
                            id: number % 2 == 0 ? id : id.lowercased(), name: "Runners \(number)", purpose: .workout,
                            invite: [berta.account.id]), by: anna)
                }
            }
            return try await tasks.reduce(into: [Int64]()) { $0.append($1) }
        }
        #expect(Set(made).count == 1)
        let group = made[0]
        #expect(try await world.chat.create(.init(id: id, name: "Mine"), by: berta) != group)
        let listed = try #require(try await world.listed(group, of: anna))
        #expect(listed.role == .owner && listed.state == .joined && listed.members == 1 && listed.purpose == .workout)
        // Who is invited sees the name, who invited and how many are in it; nothing of what is written or how much.
        try await world.send("secret", in: group, by: anna)
        let invited = try #require(try await world.listed(group, of: berta))
        #expect(invited.state == .invited && invited.invitedBy?.account == anna.account.id)
        #expect(invited.last == nil && invited.unread == 0 && invited.head == 0)
        let shown = try await world.chat.conversation(.init(conversation: group, opens: true), for: berta)
        #expect(shown.members.isEmpty && shown.conversation == invited)
        for name in ["", " ", String(repeating: "n", count: 61), "a\nb"] {
            #expect(
                await refusal(.invalidParams) {
                    try await world.chat.create(.init(id: World.newID(), name: name), by: anna)
                } != nil)
        }
    }

    @Test("Only one's own buddies can be invited, whoever else it is, and then nobody is")
    func buddiesOnly() async throws {
        let world = try await ChatWorld()
        let (anna, berta, _) = try await world.pair()
        let stranger = try await world.member()
        let group = try await world.group([anna])
        var errors: [RPCError?] = []
        for other in [stranger.account.id, .max, -1] {
            errors.append(
                await refusal(.forbidden) {
                    try await world.chat.invite(
                        .init(conversation: group, accounts: [berta.account.id, other]), by: anna)
                })
            errors.append(
                await refusal(.forbidden) {
                    try await world.chat.create(.init(id: World.newID(), name: "n", invite: [other]), by: anna)
                })
        }
        // Whether there is such an account is not said.
        #expect(Set(errors.map { $0?.message }).count == 1)
        #expect(try await world.listed(group, of: berta) == nil)
        #expect(
            await refusal(.invalidParams) {
                try await world.chat.invite(.init(conversation: group, accounts: Array(1...101)), by: anna)
            } != nil)
        let invite = GroupInvite.Params(
            conversation: group, accounts: [berta.account.id, berta.account.id, anna.account.id])
        #expect(try await world.chat.invite(invite, by: anna) == [berta.account.id])
        #expect(try await world.chat.invite(invite, by: anna) == [])
    }

    @Test("An invitation is accepted or declined, and declining is told to nobody")
    func answering() async throws {
        let world = try await ChatWorld()
        let people = try await world.members(3)
        let group = try await world.group([people[0]], invited: [people[1], people[2]])
        var owner = ChatReader(group, people[0])
        try await owner.open(world)
        let start = try #require(owner.position?.offset)
        try await world.chat.answer(.init(conversation: group, accept: false), by: people[1])
        #expect(try await world.listed(group, of: people[1]) == nil)
        try await world.join(group, people[2])
        try await world.join(group, people[2])
        try await owner.read(to: start + 1)
        #expect(owner.events.map(\.data.type) == [.joined] && owner.events[0].data.account == people[2].account.id)
        #expect(
            await refusal(.conflict) {
                try await world.chat.answer(.init(conversation: group, accept: false), by: people[2])
            } != nil)
        #expect(await refusal(.notFound) { try await world.join(group, people[1]) } != nil)
        let (anna, _, direct) = try await world.pair()
        #expect(await refusal(.conflict) { try await world.join(direct, anna) } != nil)
    }

    @Test("Who comes back sees only what is written from then on, in history, search and catching up")
    func comeBack() async throws {
        try await comingBack(isRemoved: false)
        try await comingBack(isRemoved: true)
    }

    private func comingBack(isRemoved: Bool) async throws {
        let world = try await ChatWorld()
        let people = try await world.members(2)
        let group = try await world.group(people)
        var reader = ChatReader(group, people[1])
        try await reader.open(world)
        let position = try #require(reader.position)
        try await world.send("needle before", in: group, by: people[0])
        if isRemoved {
            _ = try await world.chat.remove(.init(conversation: group, account: people[1].account.id), by: people[0])
        } else {
            try await world.chat.leave(.init(conversation: group), by: people[1])
        }
        try await world.send("needle between", in: group, by: people[0])
        _ = try await world.chat.invite(.init(conversation: group, accounts: [people[1].account.id]), by: people[0])
        let asInvited = ChatReader(group, people[1], at: position)
        for attempt in 0..<2 {
            #expect(
                await refusal(.notFound) {
                    var reader = asInvited
                    try await reader.open(attempt == 0 ? world : world.restarted())
                } != nil)
        }
        #expect(await refusal(.notFound) { try await world.history(group, of: people[1]) } != nil)
        #expect(try await world.found("needle", by: people[1]).isEmpty)
        try await world.join(group, people[1])
        try await world.send("needle after", in: group, by: people[0])
        #expect(try await world.texts(group, of: people[1]) == ["needle after"])
        #expect(try await world.found("needle", by: people[1]) == ["needle after"])
        let listed = try #require(try await world.listed(group, of: people[1]))
        #expect(listed.unread == 1 && listed.last?.text == "needle after" && listed.new)
        for node in [world, world.restarted()] {
            for since in [
                position, TopicPosition(epoch: position.epoch, offset: 0), .init(epoch: position.epoch, offset: -7),
            ] {
                var late = ChatReader(group, people[1], at: since)
                try await late.open(node)
                #expect(!late.raw.joined().contains("needle before") && !late.raw.joined().contains("needle between"))
            }
        }
    }

    @Test(
        "An owner who leaves is followed by the admin, or else the member, who is there longest; the last one ends it")
    func heirs() async throws {
        let world = try await ChatWorld()
        let people = try await world.members(4)
        for other in people.dropFirst() { try await world.match(people[0], other) }
        let group = try await world.group([people[0]])
        for other in people.dropFirst() {
            world.clock.advance(bySeconds: 1)
            _ = try await world.chat.invite(.init(conversation: group, accounts: [other.account.id]), by: people[0])
            try await world.join(group, other)
        }
        _ = try await world.chat.setRole(
            .init(conversation: group, account: people[2].account.id, role: .admin), by: people[0])
        for (leaver, heir) in [(0, 2), (2, 1), (1, 3)] {
            try await world.chat.leave(.init(conversation: group), by: people[leaver])
            #expect(try await world.listed(group, of: people[leaver]) == nil)
            let listed = try #require(try await world.listed(group, of: people[heir]))
            #expect(listed.role == .owner)
        }
        let events = try await world.history(group, of: people[3]).reversed().map(\.event)
        #expect(
            events.last?.type == .role && events.last?.account == people[3].account.id && events.last?.role == .owner)
        try await world.chat.leave(.init(conversation: group), by: people[3])
        for who in people {
            #expect(await refusal(.notFound) { try await world.history(group, of: who) } != nil)
            #expect(await refusal(.notFound) { try await world.join(group, who) } != nil)
        }
        // Who had been invited finds nothing to join.
        let (anna, berta, _) = try await world.pair()
        let empty = try await world.group([anna], invited: [berta])
        try await world.chat.leave(.init(conversation: empty), by: anna)
        #expect(await refusal(.notFound) { try await world.join(empty, berta) } != nil)
        #expect(try await world.listed(empty, of: berta) == nil)
    }

    @Test("A group takes 100, those invited included")
    func membersMax() async throws {
        let world = try await ChatWorld()
        let people = try await world.members(101)
        for other in people.dropFirst() { try await world.match(people[0], other) }
        let all = people.map(\.account.id)
        let group = try await world.group([people[0]])
        _ = try await world.chat.invite(.init(conversation: group, accounts: Array(all[1...60])), by: people[0])
        let rest = GroupInvite.Params(conversation: group, accounts: Array(all[61...100]))
        #expect(await refusal(.conflict) { try await world.chat.invite(rest, by: people[0]) } != nil)
        #expect(try await world.listed(group, of: people[100]) == nil)
        let almost = GroupInvite.Params(conversation: group, accounts: Array(all[61...99]))
        #expect(try await world.chat.invite(almost, by: people[0]).count == 39)
        let one = GroupInvite.Params(conversation: group, accounts: [all[100]])
        #expect(await refusal(.conflict) { try await world.chat.invite(one, by: people[0]) } != nil)
        _ = try await world.chat.remove(.init(conversation: group, account: all[1]), by: people[0])
        #expect(try await world.chat.invite(one, by: people[0]).count == 1)
    }

    @Test("A block takes back invitations of one to the other, and somebody blocked is not told apart in a group")
    func blocks() async throws {
        let world = try await ChatWorld()
        let people = try await world.members(3)
        let group = try await world.group([people[0]], invited: [people[1]])
        try await world.block(people[1], people[0])
        #expect(try await world.listed(group, of: people[1]) == nil)
        #expect(await refusal(.notFound) { try await world.join(group, people[1]) } != nil)
        #expect(
            await refusal(.forbidden) {
                try await world.chat.invite(.init(conversation: group, accounts: [people[1].account.id]), by: people[0])
            } != nil)
    }
}
