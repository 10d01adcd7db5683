import Bus
import EventLoop
import Wire

/// Something for an account, on whatever devices and nodes it is connected.
public struct AccountSignal: Sendable {
    /// For whom.
    public let account: Int64
    /// What is new.
    public let signal: UserSignal

    /// Memberwise.
    public init(_ account: Int64, _ signal: UserSignal) {
        self.account = account
        self.signal = signal
    }
}

/// `user/<id>`: what is new for one account. Only its own connections are subscribed.
///
/// Not a log: where everything stands is in PostgreSQL, and a client asks for it when it connects. While it is connected nothing is left
/// out, but between nodes something may be lost; then it is told to ask again.
extension Hub {
    /// A connection of an account hears what is new for it.
    /// - Throws: ``Wire/RPCError`` when the connection has too many topics.
    public func subscribe(_ subscriber: any Subscriber, user account: Int64, reply: @Sendable () -> [UInt8]) throws {
        let topic = Topic.user(account)
        try remember(topic, of: subscriber)
        users[account, default: SubscriberSet()].insert(subscriber)
        followUser(account)
        send(reply(), topic: topic, to: subscriber)
    }

    /// Those of some accounts that are connected to this server, and hear what is new for them.
    public func connected(of accounts: [Int64]) -> [Int64] { accounts.filter { users[$0] != nil } }

    func leaveUser(_ account: Int64, _ subscriber: any Subscriber) {
        users[account]?.remove(subscriber)
        guard users[account]?.isEmpty == true else { return }
        users[account] = nil
        nodes?.users.removeValue(forKey: account)?.cancel()
    }

    /// Tells accounts what is new, here and on the other nodes.
    /// - Parameter author: Who did it; nobody hears of somebody blocked. 0 for nobody.
    public func tell(_ signals: [AccountSignal], by author: Int64) {
        var json: (signal: UserSignal, bytes: [UInt8])?
        for one in signals where !blocks.hold(between: one.account, and: author) {
            guard users[one.account] != nil || nodes?.others.isEmpty == false else { continue }
            if json?.signal != one.signal {
                json = (one.signal, WireJSON.encode(one.signal))
            }
            guard let bytes = json?.bytes else { continue }
            give(bytes, to: one.account)
            tell(.signal(bytes), HubNodes.Subjects.user(one.account))
        }
    }

    private func give(_ data: [UInt8], to account: Int64) {
        guard let devices = users[account] else { return }
        let topic = Topic.user(account)
        outbox.publish(Delivery(topic: topic, json: JSONText.push(data, topic: topic), lane: .reliable), to: devices)
    }

    /// Hears what other nodes tell an account, as long as it is connected here.
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

    /// What an account was told may be wrong, or not all.
    func resync(_ account: Int64) {
        give(WireJSON.encode(UserSignal(type: .resync)), to: account)
    }
}
