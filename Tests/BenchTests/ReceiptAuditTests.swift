import Testing
import Wire

@testable import Bench

@Suite("The check of receipts after a stop")
struct ReceiptAuditTests {
    private static let ended = Timestamp(milliseconds: 60_000)

    private func watch(_ account: Int64?, until end: Timestamp? = ended) -> ShareWatch {
        let start = Timestamp(milliseconds: 1_000)
        return ShareWatch(
            person: account.map { SharingPerson(account: $0, name: "Person \($0)", username: "person\($0)") },
            from: start, last: start, to: end, atLatest: false, precision: .exact, times: 1)
    }

    /// The check of one receipt, of a share that buddies 1 and 2 watched.
    private func audit(_ watches: [ShareWatch], watchers: Int) -> ReceiptAudit {
        let share = Share(
            id: 1, audience: .campus, precision: .exact, startedAt: Timestamp(milliseconds: 0),
            expiresAt: Timestamp(milliseconds: 600_000), endedAt: Self.ended)
        var audit = ReceiptAudit(buddies: [1, 2])
        audit.check(SharingReceipt(share: share, watches: watches, watchers: watchers))
        return audit
    }

    @Test("accepts a receipt with one complete line for each buddy")
    func complete() {
        let audit = audit([watch(1), watch(2)], watchers: 2)
        #expect(audit.missing == 0 && audit.strangers == 0 && audit.miscounted == 0)
    }

    @Test("finds a buddy who has no line, or a line that does not last until the end")
    func missing() {
        #expect(audit([watch(1)], watchers: 2).missing == 1)
        #expect(audit([watch(1), watch(2, until: nil)], watchers: 2).missing == 1)
        #expect(audit([watch(1), watch(2, until: Timestamp(milliseconds: 30_000))], watchers: 2).missing == 1)
        #expect(audit([], watchers: 0).missing == 2)
    }

    @Test("finds a stranger or a guest with a line")
    func strangers() {
        #expect(audit([watch(1), watch(2), watch(3)], watchers: 2).strangers == 1)
        #expect(audit([watch(1), watch(2), watch(nil)], watchers: 2).strangers == 1)
    }

    @Test("finds a number of viewers that counts a stranger, or leaves out a buddy")
    func numbers() {
        #expect(audit([watch(1), watch(2)], watchers: 3).miscounted == 1)
        #expect(audit([watch(1), watch(2)], watchers: 1).miscounted == 1)
    }
}
