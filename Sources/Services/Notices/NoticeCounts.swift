import Campus
import Wire

/// The counts of a notice as its sender may know them. The rule is in the ThreatModel article (Counts of notices):
/// no count follows from positions, blocks or presence; numbers are rounded down to a multiple of ``step``; receipts are counted only
/// where the sender cannot choose the audience and it is large.
struct NoticeCounts: Sendable, Equatable {
    /// Accounts: as in the heatmap, fewer than this are not told apart from none.
    static let step = Int64(HeatmapRules.peopleMin)
    /// Accounts of the smallest audience whose receipts are counted.
    static let receiptsAudienceMin: Int64 = 20
    /// Receipts of a role are counted once, so long after the notice went out: an admin can give the role to accomplices until one receipt more
    /// moves the rounded number, and would see it come. Later ones are in no count (`notice_receive`).
    static let roleReceiptsDelay = 86_400.0

    /// A multiple of ``step``; 1 for one account.
    let recipients: Int64
    /// Multiples of ``step``; nil where receipts are not counted.
    let received: Int64?
    let read: Int64?

    /// - Parameters:
    ///   - recipients: What `notice_audience` says.
    ///   - received: Of accounts that send receipts.
    ///   - age: Seconds since it went out.
    init(of kind: NoticeAudience.Kind, recipients: Int64, received: Int64 = 0, read: Int64 = 0, age: Double = 0) {
        self.recipients = kind == .user ? 1 : Self.rounded(recipients)
        let isCounted =
            (kind == .campus || kind == .role && age >= Self.roleReceiptsDelay)
            && recipients >= Self.receiptsAudienceMin
        // A person may send read receipts and no others.
        self.received = isCounted ? Self.rounded(max(received, read)) : nil
        self.read = isCounted ? Self.rounded(read) : nil
    }

    private static func rounded(_ count: Int64) -> Int64 { count / step * step }
}
