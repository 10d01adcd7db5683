/// The topics that each connection is subscribed to. Confined to the hub's loop.
package struct Subscriptions {
    private var topicsOf: [UInt64: Set<Topic>] = [:]

    /// Topics of a connection. O(1).
    package func topics(of subscriber: UInt64) -> Set<Topic> { topicsOf[subscriber] ?? [] }

    /// Whether a connection is subscribed to a topic. O(1).
    package func contains(_ topic: Topic, of subscriber: UInt64) -> Bool {
        topicsOf[subscriber]?.contains(topic) == true
    }

    /// Adds a topic. O(1).
    /// - Returns: False when the connection has `countMax` other topics.
    mutating func insert(_ topic: Topic, of subscriber: UInt64, countMax: Int) -> Bool {
        guard (topicsOf[subscriber]?.count ?? 0) < countMax || contains(topic, of: subscriber) else { return false }
        topicsOf[subscriber, default: []].insert(topic)
        return true
    }

    /// - Returns: False when the connection was not subscribed to the topic.
    mutating func remove(_ topic: Topic, of subscriber: UInt64) -> Bool { topicsOf[subscriber]?.remove(topic) != nil }

    mutating func removeAll(of subscriber: UInt64) -> Set<Topic> { topicsOf.removeValue(forKey: subscriber) ?? [] }

    /// Number of subscriptions to matching topics. O(subscriptions).
    package func count(where isMeant: (Topic) -> Bool) -> Int {
        topicsOf.values.reduce(0) { $0 + $1.count(where: isMeant) }
    }

    /// Whether no connection is subscribed to anything.
    package var isEmpty: Bool { topicsOf.values.allSatisfy(\.isEmpty) }
}

/// Accounts of connections, so that a new block between accounts finds their connections. A feed notes the account of each connection to
/// which it sends locations. Confined to the hub's loop.
package struct ConnectionAccounts {
    private var accounts: [UInt64: Int64] = [:]
    private var connections: [Int64: [UInt64: any Subscriber]] = [:]

    /// The account of a connection; nil for a guest, and for a connection that no feed has noted.
    package func account(of subscriber: any Subscriber) -> Int64? { accounts[subscriber.subscriberID] }

    package func connections(of account: Int64) -> some Sequence<any Subscriber> {
        (connections[account] ?? [:]).values
    }

    /// Notes the account of a connection. Idempotent. O(1).
    package mutating func note(_ subscriber: any Subscriber, as account: Int64?) {
        guard let account, accounts[subscriber.subscriberID] != account else { return }
        forget(subscriber)
        accounts[subscriber.subscriberID] = account
        connections[account, default: [:]][subscriber.subscriberID] = subscriber
    }

    /// Forgets a connection. O(1).
    mutating func forget(_ subscriber: any Subscriber) {
        guard let account = accounts.removeValue(forKey: subscriber.subscriberID) else { return }
        connections[account]?[subscriber.subscriberID] = nil
        if connections[account]?.isEmpty == true { connections[account] = nil }
    }
}
