import Foundation
import Hub
import TestSupport
import Testing
import Wire

@testable import Services

/// Who stands how to a group.
private enum Standing: CaseIterable {
    case owner, admin, member, invited, left, removed, stranger

    var isIn: Bool { [.owner, .admin, .member].contains(self) }
}

/// What can be asked of a group, and of its members.
private enum Action: CaseIterable {
    case history, conversation, send, edit, deleteOwn, deleteOthers, react, read, delivered, mute
    case rename, invite, removeMember, removeAdmin, removeOwner, removeInvited, makeAdmin, makeMember, makeOwner
    case answer, decline, leave, watch, search
}

@Suite("Every action by everybody, in a group")
struct RoleTests {
    /// What should come of it; nil when it is allowed.
    private static func expected(_ action: Action, _ by: Standing) -> ErrorCode? {
        if by == .invited, [.answer, .decline, .conversation].contains(action) { return nil }
        if action == .search { return nil }
        guard by.isIn else { return .notFound }
        switch action {
        case .history, .conversation, .send, .edit, .deleteOwn, .react, .read, .delivered, .mute, .leave, .answer,
            .watch,
            .search:
            return nil
        case .decline: return .conflict
        case .deleteOthers, .rename, .invite, .removeMember, .removeInvited: return by == .member ? .forbidden : nil
        case .removeAdmin: return by == .owner ? nil : .forbidden
        // Nobody removes the owner, who leaves.
        case .removeOwner: return by == .owner ? .conflict : .forbidden
        case .makeAdmin, .makeMember, .makeOwner: return by == .owner ? nil : .forbidden
        }
    }

    fileprivate struct Stage {
        let world: ChatWorld
        let group: Int64
        let people: [Standing: Identity]
        /// Beside those who act: an admin, a member, somebody invited, a buddy of everybody.
        let admin: Identity
        let member: Identity
        let invited: Identity
        let buddy: Identity
        let message: Int64
        let own: [Standing: Int64]

        init() async throws {
            world = try await ChatWorld()
            var people: [Standing: Identity] = [:]
            for standing in Standing.allCases { people[standing] = try await world.member() }
            (admin, member) = (try await world.member(), try await world.member())
            (invited, buddy) = (try await world.member(), try await world.member())
            self.people = people
            let owner = try #require(people[.owner])
            for one in people.values { try await world.match(one, buddy) }
            let first = [owner, admin, member] + [.admin, .member, .left, .removed].compactMap { people[$0] }
            group = try await world.group(first, invited: [invited, try #require(people[.invited])])
            for one in [admin, try #require(people[.admin])] {
                _ = try await world.chat.setRole(
                    .init(conversation: group, account: one.account.id, role: .admin), by: owner)
            }
            var own: [Standing: Int64] = [:]
            for standing in [.owner, .admin, .member, .left, .removed] as [Standing] {
                own[standing] = try await world.send("own", in: group, by: try #require(people[standing]))
            }
            self.own = own
            message = try await world.send("needle", in: group, by: member)
            try await world.chat.leave(.init(conversation: group), by: try #require(people[.left]))
            _ = try await world.chat.remove(
                .init(conversation: group, account: try #require(people[.removed]).account.id), by: owner)
        }

        func take(_ action: Action, by standing: Standing) async throws {
            let who = try #require(people[standing])
            let chat = world.chat
            let own = own[standing] ?? message
            func role(_ role: MemberRole, _ of: Identity) async throws {
                _ = try await chat.setRole(.init(conversation: group, account: of.account.id, role: role), by: who)
            }
            func remove(_ one: Identity) async throws {
                _ = try await chat.remove(.init(conversation: group, account: one.account.id), by: who)
            }
            switch action {
            case .history: _ = try await chat.history(.init(conversation: group), for: who)
            case .conversation: _ = try await chat.conversation(.init(conversation: group, opens: true), for: who)
            case .send: try await world.send("words", in: group, by: who)
            case .edit: _ = try await chat.edit(.init(conversation: group, message: own, text: "new"), by: who)
            case .deleteOwn: _ = try await chat.delete(.init(conversation: group, message: own), by: who)
            case .deleteOthers: _ = try await chat.delete(.init(conversation: group, message: message), by: who)
            case .react:
                _ = try await chat.react(.init(conversation: group, message: message, emoji: .fire, on: true), by: who)
            case .read: _ = try await chat.read(.init(conversation: group, offset: 1), by: who)
            case .delivered: _ = try await chat.delivered(.init(conversation: group, offset: 1), by: who)
            case .mute: _ = try await chat.mute(.init(conversation: group, seconds: 60), by: who)
            case .rename: _ = try await chat.rename(.init(conversation: group, name: "New"), by: who)
            case .invite: _ = try await chat.invite(.init(conversation: group, accounts: [buddy.account.id]), by: who)
            case .removeMember: try await remove(member)
            case .removeAdmin: try await remove(admin)
            case .removeOwner: try await remove(try #require(people[.owner]))
            case .removeInvited: try await remove(invited)
            case .makeAdmin: try await role(.admin, member)
            case .makeMember: try await role(.member, admin)
            case .makeOwner: try await role(.owner, member)
            case .answer: try await chat.answer(.init(conversation: group, accept: true), by: who)
            case .decline: try await chat.answer(.init(conversation: group, accept: false), by: who)
            case .leave: try await chat.leave(.init(conversation: group), by: who)
            case .watch:
                var reader = ChatReader(group, who)
                try await reader.open(world)
            case .search:
                let found = try await world.found("needle", by: who)
                #expect(found.count == (standing.isIn ? 1 : 0), "\(standing)")
            }
        }

        /// What the database holds of the group.
        func state() async throws -> String {
            let rows = try await world.pool.query(
                """
                SELECT concat_ws(' ', name, is_open, head_offset, (SELECT string_agg(concat_ws(':', account_id, role, state,
                    read_offset, delivered_offset, muted_until, is_opened), ',' ORDER BY account_id) FROM members m
                    WHERE m.conversation_id = c.id)) AS state FROM conversations c WHERE id = $1
                """, [.int(group)])
            return try rows[0].text("state")
        }
    }

    @Test(
        "Each action of each role in a group is allowed or refused as the role says, and what is refused changes nothing"
    )
    func matrix() async throws {
        for standing in Standing.allCases {
            var stage = try await Stage()
            for action in Action.allCases {
                let before = try await stage.state()
                let expected = Self.expected(action, standing)
                do {
                    try await stage.take(action, by: standing)
                    #expect(expected == nil, "\(action) by \(standing) is allowed")
                    // What changes who is in it changes what comes next.
                    if try await stage.state() != before { stage = try await Stage() }
                } catch {
                    #expect(RPCError.clientError(error)?.registered == expected, "\(action) by \(standing): \(error)")
                    #expect(try await stage.state() == before, "\(action) by \(standing)")
                }
            }
        }
    }

    @Test("Whoever is not in it hears the same of a group that is there and one that is not, word for word")
    func sameAnswer() async throws {
        let stage = try await Stage()
        let nowhere = Int64.max - 7
        for standing in Standing.allCases where !standing.isIn {
            let who = try #require(stage.people[standing])
            for action in Action.allCases where Self.expected(action, standing) == .notFound {
                var answers: [RPCError?] = []
                for group in [stage.group, nowhere] {
                    answers.append(
                        await refusal(.notFound) {
                            try await Stage(stage, group: group).take(action, by: standing)
                        })
                }
                #expect(answers[0] == answers[1], "\(action) by \(standing) \(who.account.id)")
            }
        }
    }
}

extension RoleTests.Stage {
    /// The same people before another group.
    fileprivate init(_ other: RoleTests.Stage, group: Int64) {
        (world, self.group, people) = (other.world, group, other.people)
        (admin, member, invited, buddy) = (other.admin, other.member, other.invited, other.buddy)
        (message, own) = (other.message, other.own)
    }
}
