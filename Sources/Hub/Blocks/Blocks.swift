/// Blocks between accounts (B-5). A block works in both directions until each account that made one has lifted it.
///
/// A class, because the feeds share it. Confined to the hub's loop, which is why it may be marked as `Sendable`.
final class Blocks: @unchecked Sendable {
    /// Accounts that an account has blocked.
    private var made: [Int64: Set<Int64>] = [:]
    /// Accounts that an account has blocked or is blocked by.
    private var others: [Int64: Set<Int64>] = [:]

    /// Accounts that the given account neither sees nor is seen by. O(1).
    subscript(account: Int64) -> Set<Int64> { others[account] ?? [] }

    /// Whether a block separates the two accounts, in either direction. False for a guest (nil). O(1).
    func hold(between one: Int64?, and other: Int64?) -> Bool {
        guard let one, let other else { return false }
        return others[one]?.contains(other) == true
    }

    /// Whether `one` has blocked `other`, regardless of the other direction. O(1).
    func isMade(by one: Int64, of other: Int64) -> Bool { made[one]?.contains(other) == true }

    /// Sets or lifts the block of `other` by `one`. O(1).
    /// - Returns: Whether the two accounts became separated by it, or stopped being so.
    func set(_ one: Int64, _ other: Int64, isOn: Bool) -> Bool {
        guard one != other else { return false }
        Self.set(one, other, isOn: isOn, in: &made)
        let holds = made[one]?.contains(other) == true || made[other]?.contains(one) == true
        guard holds != hold(between: one, and: other) else { return false }
        Self.set(one, other, isOn: holds, in: &others)
        Self.set(other, one, isOn: holds, in: &others)
        return true
    }

    private static func set(_ one: Int64, _ other: Int64, isOn: Bool, in relation: inout [Int64: Set<Int64>]) {
        if isOn {
            relation[one, default: []].insert(other)
        } else {
            relation[one]?.remove(other)
            if relation[one]?.isEmpty == true { relation[one] = nil }
        }
    }
}
