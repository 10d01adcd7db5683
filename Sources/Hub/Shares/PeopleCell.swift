import Bus
import EventLoop
import HubCore
import Wire

/// Viewers of a cell of the map of people, and the people published to them. Confined to the hub's loop.
final class PeopleCell {
    struct CellViewer {
        let subscriber: any Subscriber
        let account: Int64
        /// The viewer gets a private rendition, without the people that it has a block with.
        var isApart: Bool
    }
    /// The people in a cell.
    struct Rendition: Equatable {
        var people: [PersonOnMap] = []
        /// Number of further people.
        var more = 0
    }

    private(set) var viewers: [UInt64: CellViewer] = [:]
    /// Viewers with private renditions.
    private(set) var apart: Set<UInt64> = []
    /// Number of viewing connections, by account.
    private(set) var connections: [Int64: Int] = [:]
    /// Viewers that get the common rendition.
    var together = SubscriberSet()
    /// Everyone in the cell, and their accounts, as of the last publication.
    var all = Rendition()
    var accounts: Set<Int64> = []
    /// Time of that publication, monotonic nanoseconds; nil before the first.
    var lastTick: UInt64?
    /// The common rendition as last published.
    var publishedCommon = Rendition()
    /// The private renditions as last published, by account: all connections of an account have the same.
    var publishedPrivate: [Int64: Rendition] = [:]
    /// Connections that were sent less than the published people, because some were in doubt.
    var mustPublish: Set<UInt64> = []
    /// The people that other nodes sent, with when they arrived.
    var others: [NodeID: (people: [PersonOnMap], more: Int, received: UInt64)] = [:]
    var subscription: BusSubscription?

    /// Shares of people that other nodes sent.
    var foreign: [Int64] { others.values.flatMap { $0.people.map(\.share) } }

    func insert(_ viewer: CellViewer) {
        remove(viewer.subscriber)
        viewers[viewer.subscriber.subscriberID] = viewer
        connections[viewer.account, default: 0] += 1
        if viewer.isApart { apart.insert(viewer.subscriber.subscriberID) } else { together.insert(viewer.subscriber) }
    }

    /// Removes a viewer. O(1).
    func remove(_ subscriber: any Subscriber) {
        let id = subscriber.subscriberID
        guard let viewer = viewers.removeValue(forKey: id) else { return }
        apart.remove(id)
        mustPublish.remove(id)
        together.remove(subscriber)
        let rest = (connections[viewer.account] ?? 1) - 1
        connections[viewer.account] = rest > 0 ? rest : nil
        if rest == 0 { publishedPrivate[viewer.account] = nil }
    }

    /// Moves a viewer to a private rendition, or back to the common one; it joins `together` only after it was sent the common
    /// rendition.
    func set(_ id: UInt64, isApart: Bool) {
        guard let viewer = viewers[id] else { return }
        viewers[id]?.isApart = isApart
        if isApart {
            apart.insert(id)
            together.remove(viewer.subscriber)
        } else {
            apart.remove(id)
            publishedPrivate[viewer.account] = nil
        }
    }
}
