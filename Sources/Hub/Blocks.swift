/// Who wants nothing of whom (B-5). A block holds both ways, whoever made it, until everybody who made one has lifted it.
///
/// A class, as the hub shares it with its pictures. Confined to the hub's loop.
final class Blocks {
    /// Whom an account has blocked.
    private var made: [Int64: Set<Int64>] = [:]
    /// Whom it blocks, or who blocks it.
    private var others: [Int64: Set<Int64>] = [:]

    /// Whom an account neither sees nor is seen by. O(1).
    subscript(account: Int64) -> Set<Int64> { others[account] ?? [] }

    /// Whether the two are to know nothing of each other. O(1). Nobody is blocked for a guest.
    func hold(between one: Int64?, and other: Int64?) -> Bool {
        guard let one, let other else { return false }
        return others[one]?.contains(other) == true
    }

    /// Whether `one` blocks `other`, whatever the other does. O(1).
    func isMade(by one: Int64, of other: Int64) -> Bool { made[one]?.contains(other) == true }

    /// Notes that `one` blocks `other`, or does not any more. O(1).
    /// - Returns: Whether they are now to know nothing of each other and were not, or the other way round.
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

/// Who is signed in on the connections that look at positions, so that a block finds them. Confined to the hub.
struct SignedIn {
    private var accounts: [UInt64: Int64] = [:]
    private var connections: [Int64: [UInt64: any Subscriber]] = [:]

    /// The account of a connection; nil for a guest, and for one that has not looked at anything.
    func account(of subscriber: any Subscriber) -> Int64? { accounts[subscriber.subscriberID] }

    /// The connections of an account.
    func connections(of account: Int64) -> some Sequence<any Subscriber> { (connections[account] ?? [:]).values }

    /// A connection is that of an account. Harmless when that is known. O(1).
    mutating func note(_ subscriber: any Subscriber, as account: Int64?) {
        guard let account, accounts[subscriber.subscriberID] != account else { return }
        forget(subscriber)
        accounts[subscriber.subscriberID] = account
        connections[account, default: [:]][subscriber.subscriberID] = subscriber
    }

    /// O(1).
    mutating func forget(_ subscriber: any Subscriber) {
        guard let account = accounts.removeValue(forKey: subscriber.subscriberID) else { return }
        connections[account]?[subscriber.subscriberID] = nil
        if connections[account]?.isEmpty == true { connections[account] = nil }
    }
}
