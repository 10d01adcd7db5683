import Bus
import EventLoop
import Wire

/// A signal for an account, on all its devices and all nodes.
public struct AccountSignal: Sendable {
    public let account: Int64
    public let signal: UserSignal

    public init(_ account: Int64, _ signal: UserSignal) {
        self.account = account
        self.signal = signal
    }
}

/// The topic `user/<id>`: signals for one account. Only its own connections are subscribed.
///
/// The topic has no log: the state is in PostgreSQL, and a client reads it when it connects. While the client is connected no signal is
/// left out at one node. If signals between nodes may be lost, the client gets `resync` and reads the state again.
extension Hub {
    /// Subscribes a connection to the signals of its account.
    /// - Throws: ``Wire/RPCError`` when the connection has too many topics.
    public func subscribe(_ subscriber: any Subscriber, user account: Int64, reply: @Sendable () -> [UInt8]) throws {
        let topic = Topic.user(account)
        try remember(topic, of: subscriber)
        users[account, default: SubscriberSet()].insert(subscriber)
        followUser(account)
        send(reply(), topic: topic, to: subscriber)
    }

    /// Accounts among these that are subscribed at this node.
    public func connected(of accounts: [Int64]) -> [Int64] { accounts.filter { users[$0] != nil } }

    func leaveUser(_ account: Int64, _ subscriber: any Subscriber) {
        users[account]?.remove(subscriber)
        guard users[account]?.isEmpty == true else { return }
        users[account] = nil
        nodes?.users.removeValue(forKey: account)?.cancel()
    }

    /// Publishes signals to accounts, here and on the other nodes.
    /// - Parameter author: The account that caused the signals; an account blocked with it gets none. 0 for no author.
    public func publishSignals(_ signals: [AccountSignal], by author: Int64) {
        var json: (signal: UserSignal, bytes: [UInt8])?
        for one in signals where !blocks.hold(between: one.account, and: author) {
            guard users[one.account] != nil || nodes?.others.isEmpty == false else { continue }
            if json?.signal != one.signal {
                json = (one.signal, WireJSON.encode(one.signal))
            }
            guard let bytes = json?.bytes else { continue }
            give(bytes, to: one.account)
            publishToNodes(.signal(bytes), on: HubNodes.Subjects.user(one.account))
        }
    }

    private func give(_ data: [UInt8], to account: Int64) {
        guard let devices = users[account] else { return }
        let topic = Topic.user(account)
        outbox.publish(Delivery(topic: topic, json: JSONText.push(data, topic: topic), lane: .reliable), to: devices)
    }

    /// Follows the signals that other nodes publish for an account, as long as it is connected here.
    private func followUser(_ account: Int64) {
        guard let nodes, nodes.users[account] == nil else { return }
        do {
            nodes.users[account] = try listen(to: HubNodes.Subjects.user(account).map { .init($0) }) { hub, event in
                switch event {
                case .live: break
                case .missed: hub.resync(account)
                case .message(let message):
                    guard case .signal(let data)? = hub.read(message) else { return }
                    hub.give(data, to: account)
                }
            }
        } catch {
            nodes.logger.error(
                "an account's signals cannot be followed", metadata: ["account": "\(account)", "error": "\(error)"])
        }
    }

    /// Has an account's clients read their state again, because signals may be wrong or missing.
    func resync(_ account: Int64) {
        give(WireJSON.encode(UserSignal(type: .resync)), to: account)
    }
}
