import Foundation
import TestSupport
import Testing
import Wire

@testable import Services

/// What the counts of a notice tell its sender.
@Suite("Privacy of the counts of notices")
struct NoticePrivacyTests {
    private func members(_ count: Int, _ world: NoticeWorld) async throws -> [Identity] {
        var members: [Identity] = []
        for _ in 0..<count { members.append(try await world.member()) }
        return members
    }

    @Test(
        "Counts are multiples of five, and receipts are counted from 20 accounts on, of the campus and of roles alone")
    func rounding() {
        func counts(
            _ kind: NoticeAudience.Kind, _ recipients: Int64, _ received: Int64, _ read: Int64, age: Double = 0
        ) -> [Int64?] {
            let counts = NoticeCounts(of: kind, recipients: recipients, received: received, read: read, age: age)
            return [counts.recipients, counts.received, counts.read]
        }
        #expect(counts(.campus, 4, 4, 4) == [0, nil, nil])
        #expect(counts(.campus, 19, 19, 19) == [15, nil, nil])
        #expect(counts(.role, 20, 19, 4, age: 86_400) == [20, 15, 0])
        #expect(counts(.role, 20, 19, 4, age: 86_399) == [20, nil, nil])
        #expect(counts(.campus, 24, 3, 9) == [20, 5, 5], "whoever has read it has it")
        for kind in [.zone, .event] as [NoticeAudience.Kind] { #expect(counts(kind, 104, 99, 9) == [100, nil, nil]) }
        for recipients in [0, 1] as [Int64] { #expect(counts(.user, recipients, 1, 1) == [1, nil, nil]) }
    }

    @Test("Receipts of a role are shown a day after its notice, and none that comes later moves them")
    func roleReceipts() async throws {
        let world = try await NoticeWorld()
        let admin = try await world.member(.admin)
        let people = try await members(25, world)
        let sent = try await world.publish("Students", to: .role(.student), by: admin)
        let numbers = NoticeNumbers(notices: [sent.notice.number])
        func counts() async throws -> [Int64?] {
            let status = try await world.notices.status(of: .init(notice: sent.notice.number), for: admin)
            return [status.recipients, status.received, status.read]
        }
        for who in people[..<9] { try await world.notices.received(numbers, by: who) }
        for who in people[..<5] { _ = try await world.notices.read(numbers, by: who) }
        #expect(try await counts() == [25, nil, nil])
        _ = try await world.pool.query(
            "UPDATE notices SET publish_at = publish_at - interval '1 day' WHERE id = $1", [.int(sent.notice.number)])
        #expect(try await counts() == [25, 5, 5])
        for who in people { _ = try await world.notices.read(numbers, by: who) }
        #expect(try await counts() == [25, 5, 5])
        await world.close()
    }

    @Test(
        "Accounts that keep receipts off are in no count, from the chat settings, and what they read is read for themselves"
    )
    func receiptsSetting() async throws {
        let world = try await NoticeWorld()
        let admin = try await world.member(.admin)
        let people = try await members(24, world)
        func keep(_ read: Bool, _ delivered: Bool, _ who: Identity) async throws {
            _ = try await world.pool.query(
                """
                INSERT INTO chat_settings (account_id, sends_read, sends_delivered, sends_typing) VALUES ($1, $2, $3, true)
                ON CONFLICT (account_id) DO UPDATE SET sends_read = $2, sends_delivered = $3
                """, [.int(who.account.id), .bool(read), .bool(delivered)])
        }
        for who in people[..<10] { try await keep(false, true, who) }
        for who in people[..<5] { try await keep(false, false, who) }
        let sent = try await world.publish("All", by: admin)
        let numbers = NoticeNumbers(notices: [sent.notice.number])
        func counts() async throws -> [Int64?] {
            let status = try await world.notices.status(of: .init(notice: sent.notice.number), for: admin)
            return [status.recipients, status.received, status.read]
        }
        for who in people { try await world.notices.received(numbers, by: who) }
        #expect(try await counts() == [25, 15, 0])
        for who in people { #expect(try await world.notices.read(numbers, by: who).unread == 0) }
        #expect(try await counts() == [25, 15, 10])
        await world.close()
    }

    @Test("The audience of an event leaves out who only saved it, and a block changes no count")
    func eventAudience() async throws {
        let world = try await NoticeWorld()
        let owner = try await world.member()
        let event = try await world.event(by: owner)
        let people = try await members(12, world)
        for who in people[..<6] { _ = try await world.events.answer(.init(event: event, answer: .maybe), by: who) }
        for who in people[6...] { _ = try await world.events.save(.init(event: event, saved: true), by: who) }
        func preview() async throws -> Int64 {
            try await world.notices.preview(.init(audience: .event(event)), by: owner).people
        }
        #expect(try await preview() == 5)
        for who in people[..<2] { try await world.block(who, owner) }
        #expect(try await preview() == 5)
        await world.close()
    }
}
