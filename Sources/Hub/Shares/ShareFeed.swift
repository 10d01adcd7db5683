import Bus
import EventLoop
import HubCore
import Wire

/// Shared locations: the latest location of each account that reports to this node, the shares that show it, their viewers, and the map of
/// people who share with everyone on campus.
///
/// The privacy rules of shares are applied here, before anything is encoded: a share shows a location in its precision, hidden places are
/// withheld, and a viewer that may not watch any more is cut off at once, on every node.
public actor ShareFeed: BlockObserver {
    /// Interval between two sweeps, which apply everything that depends on time.
    static let sweepInterval = Duration.seconds(1)

    package nonisolated let core: HubCore
    package nonisolated let kinds: [Topic.Kind] = [.share, .people]
    public nonisolated var unownedExecutor: UnownedSerialExecutor { core.loop.asUnownedSerialExecutor() }

    let blocks: Blocks
    let registry = ShareRegistry()
    /// Subscriptions to what other nodes announce of shares and locations.
    var subscriptions: [BusSubscription] = []

    init(_ core: HubCore, blocks: Blocks) {
        self.core = core
        self.blocks = blocks
    }

    package func left(_ topic: Topic, _ subscriber: any Subscriber) {
        switch topic {
        case .share(let id): leaveShare(id, subscriber)
        case .people(let cell): leavePeople(cell, subscriber)
        default: break
        }
    }

    package func refresh(_ subscriber: any Subscriber, _ topics: Set<Topic>, isSlow: Bool) {
        for topic in topics {
            switch topic {
            case .share(let id): refreshShare(id, subscriber)
            case .people(let cell): refreshPeople(cell, subscriber)
            default: break
            }
        }
    }
}
