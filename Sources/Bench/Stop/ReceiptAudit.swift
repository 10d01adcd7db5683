import Wire

/// Compares receipts of ended shares with the rules on disclosure. Each share had the audience `campus`, lasted less than an hour, and was
/// watched by the same viewers until its end. Its receipt then names each viewer who is a buddy of the owner, and discloses no stranger:
/// neither by name nor in the number of viewers.
struct ReceiptAudit {
    /// Accounts of the viewers who are buddies of the owner.
    let buddies: Set<Int64>
    /// Number of buddies without a line that lasts until the end of the share.
    private(set) var missing = 0
    /// Number of lines about other viewers.
    private(set) var strangers = 0
    /// Number of receipts whose number of viewers differs from the number of buddies.
    private(set) var miscounted = 0

    init(buddies: Set<Int64>) { self.buddies = buddies }

    mutating func check(_ receipt: SharingReceipt) {
        let complete = receipt.watches.filter { $0.to != nil && $0.to == receipt.share.endedAt }
        missing += buddies.subtracting(complete.compactMap(\.person?.account)).count
        strangers += receipt.watches.count { watch in
            guard let person = watch.person else { return true }
            return !buddies.contains(person.account)
        }
        if receipt.watchers != buddies.count { miscounted += 1 }
    }
}
