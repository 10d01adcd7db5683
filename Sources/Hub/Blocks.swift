/// Who wants nothing of whom (B-5). A block holds both ways, whoever made it. Confined to the hub.
struct Blocks {
    private var others: [Int64: Set<Int64>] = [:]

    /// Whom an account neither sees nor is seen by. O(1).
    subscript(account: Int64) -> Set<Int64> { others[account] ?? [] }

    /// Whether the two are to know nothing of each other. O(1). Nobody is blocked for a guest.
    func hold(between one: Int64?, and other: Int64?) -> Bool {
        guard let one, let other else { return false }
        return others[one]?.contains(other) == true
    }

    /// - Returns: Whether that is new.
    mutating func set(_ one: Int64, _ other: Int64, isOn: Bool) -> Bool {
        guard isOn != hold(between: one, and: other), one != other else { return false }
        for (account, another) in [(one, other), (other, one)] {
            if isOn {
                others[account, default: []].insert(another)
            } else {
                others[account]?.remove(another)
                if others[account]?.isEmpty == true { others[account] = nil }
            }
        }
        return true
    }
}

extension Hub {
    /// Two block each other, or do not any more. Everything that one of them gets of the other ends before this returns.
    /// Harmless when repeated. O(1), and what the two look at.
    public func setBlock(_ one: Int64, _ other: Int64, isOn: Bool) {
        guard blocks.set(one, other, isOn: isOn) else { return }
    }

    /// Whether the two are to know nothing of each other.
    public func isBlocked(_ one: Int64?, _ other: Int64?) -> Bool { blocks.hold(between: one, and: other) }
}
