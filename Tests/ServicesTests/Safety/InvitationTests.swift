import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Invitations, blocks and reports")
struct InvitationTests {
    @Test("An invitation and a block at the same moment never leave an invitation")
    func atOnce() async throws {
        let world = try await ChatWorld()
        for _ in 1...15 {
            let people = try await world.members(2)
            let group = try await world.group([people[0]])
            try await world.match(people[0], people[1])
            await withTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    _ = try? await world.chat.invite(
                        .init(conversation: group, accounts: [people[1].account.id]), by: people[0])
                }
                tasks.addTask { _ = try? await world.block(people[1], people[0]) }
            }
            #expect(try await world.listed(group, of: people[1]) == nil)
        }
    }

    @Test("Who was invited and declined, or was taken off the list again, has read nothing that a report could copy")
    func evidence() async throws {
        let world = try await ChatWorld()
        let people = try await world.members(3)
        let group = try await world.group([people[0]], invited: [people[1], people[2]])
        try await world.send("among us", in: group, by: people[0])
        world.clock.advance(bySeconds: 1)
        try await world.chat.answer(.init(conversation: group, accept: false), by: people[1])
        _ = try await world.chat.remove(.init(conversation: group, account: people[2].account.id), by: people[0])
        for reporter in people.dropFirst() {
            let report = try await world.safety.report(
                reporter,
                .init(id: World.newID(), account: people[0].account.id, reason: .spam, conversation: group)
            ).report
            let rows = try await world.pool.query("SELECT evidence FROM reports WHERE id = $1", [.int(report)])
            #expect(try rows.first?.text("evidence") == "[]")
        }
    }
}
