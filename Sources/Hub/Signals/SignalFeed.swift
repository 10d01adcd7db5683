import Bus
import EventLoop
import HubCore
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
public actor SignalFeed: BlockObserver {
    package nonisolated let core: HubCore
    package nonisolated let kinds: [Topic.Kind] = [.user]
    public nonisolated var unownedExecutor: UnownedSerialExecutor { core.loop.asUnownedSerialExecutor() }

    private let blocks: Blocks
    /// Connections that are subscribed to `user/<id>`, by account.
    private var devices: [Int64: SubscriberSet] = [:]
    /// Subscriptions to the signals of accounts that are connected here.
    private var subscriptions: [Int64: BusSubscription] = [:]

    init(_ core: HubCore, blocks: Blocks) {
        self.core = core
        self.blocks = blocks
    }

    /// Subscribes a connection to the signals of its account.
    /// - Throws: ``Wire/RPCError`` when the connection has too many topics.
    public func subscribe(_ subscriber: any Subscriber, account: Int64, reply: @Sendable () -> [UInt8]) throws {
        let topic = Topic.user(account)
        try core.remember(topic, of: subscriber)
        devices[account, default: SubscriberSet()].insert(subscriber)
        follow(account)
        send(reply(), topic: topic, to: subscriber)
    }

    /// Accounts among these that are subscribed at this node.
    public func connected(of accounts: [Int64]) -> [Int64] { accounts.filter { devices[$0] != nil } }

    package func left(_ topic: Topic, _ subscriber: any Subscriber) {
        guard case .user(let account) = topic else { return }
        devices[account]?.remove(subscriber)
        guard devices[account]?.isEmpty == true else { return }
        devices[account] = nil
        subscriptions.removeValue(forKey: account)?.cancel()
    }

    /// Publishes signals to accounts, here and on the other nodes.
    /// - Parameter author: The account that caused the signals; an account blocked with it gets none. 0 for no author.
    public func publish(_ signals: [AccountSignal], by author: Int64) {
        var json: (signal: UserSignal, bytes: [UInt8])?
        for one in signals where !blocks.hold(between: one.account, and: author) {
            guard devices[one.account] != nil || link?.others.isEmpty == false else { continue }
            if json?.signal != one.signal {
                json = (one.signal, WireJSON.encode(one.signal))
            }
            guard let bytes = json?.bytes else { continue }
            deliver(bytes, to: one.account)
            publishToNodes(.signal(bytes), on: NodeSubjects.user(one.account))
        }
    }

    private func deliver(_ data: [UInt8], to account: Int64) {
        guard let devices = devices[account] else { return }
        let topic = Topic.user(account)
        publish(Delivery(topic: topic, json: JSONText.push(data, topic: topic), lane: .reliable), to: devices)
    }

    /// Follows the signals that other nodes publish for an account while it is connected here.
    private func follow(_ account: Int64) {
        guard let link, subscriptions[account] == nil else { return }
        do {
            subscriptions[account] = try listen(to: NodeSubjects.user(account).map { .init($0) }) { feed, event in
                switch event {
                case .live: break
                case .missed: feed.resync(account)
                case .message(let message):
                    guard case .signal(let data)? = feed.read(message) else { return }
                    feed.deliver(data, to: account)
                }
            }
        } catch {
            link.logger.error(
                "an account's signals cannot be followed", metadata: ["account": "\(account)", "error": "\(error)"])
        }
    }

    package func leftNodes() {
        for subscription in subscriptions.values { subscription.cancel() }
        subscriptions = [:]
    }

    func blocksChanged(of blocker: Int64) { resync(blocker) }

    /// Has an account's clients read their state again, because signals may be wrong or missing.
    private func resync(_ account: Int64) {
        deliver(WireJSON.encode(UserSignal(type: .resync)), to: account)
    }
}
