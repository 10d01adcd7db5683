import Campus
import Wire

/// Counts of a notice as its sender may see them. The ThreatModel article states the rules (Counts of notices). No count depends on
/// positions, blocks or presence. Counts are rounded down to a multiple of ``step``. Receipts are counted only for large audiences that
/// the sender cannot choose.
struct NoticeCounts: Sendable, Equatable {
    /// Rounding step in accounts; as in the heatmap, smaller numbers are reported as 0.
    static let step = Int64(HeatmapRules.peopleMin)
    /// Smallest audience whose receipts are counted, in accounts.
    static let receiptsAudienceMin: Int64 = 20
    /// Age in seconds at which receipts of a role notice are counted, once. Otherwise an admin could add accomplices to the role until a
    /// single receipt changes the rounded count, and observe that receipt. Later receipts are not counted (`notice_receive`).
    static let roleReceiptsDelay = 86_400.0

    /// Multiple of ``step``; 1 for a notice to one account.
    let recipients: Int64
    /// Multiple of ``step``; nil if receipts are not counted. `read` likewise.
    let received: Int64?
    let read: Int64?

    /// Rounds the counts of one notice.
    /// - Parameters:
    ///   - recipients: Result of the SQL function `notice_audience`.
    ///   - received: Number of accounts that acknowledged receipt; accounts may disable receipts.
    ///   - age: Seconds since publication.
    init(of kind: NoticeAudience.Kind, recipients: Int64, received: Int64 = 0, read: Int64 = 0, age: Double = 0) {
        self.recipients = kind == .user ? 1 : Self.rounded(recipients)
        let isCounted =
            (kind == .campus || kind == .role && age >= Self.roleReceiptsDelay)
            && recipients >= Self.receiptsAudienceMin
        // An account may send read receipts only, which imply receipt.
        self.received = isCounted ? Self.rounded(max(received, read)) : nil
        self.read = isCounted ? Self.rounded(read) : nil
    }

    private static func rounded(_ count: Int64) -> Int64 { count / step * step }
}
