import EventLoop
import HubCore
import Wire

/// State of an area feed and of its renditions.
extension AreaFeeds {
    /// A rendition: an area feed for one audience, encoding and update rate.
    final class Rendition {
        var viewers = SubscriberSet()
        /// The counts that were published last, while the area is shown as counts instead of runners.
        private(set) var counts: [CountsFrame.Record]?
        /// For binary renditions.
        var encoder: PositionEncoder?
        /// The newest snapshot, shared by viewers that come soon after each other.
        var snapshot: (delivery: Delivery, madeAt: Timestamp)?
        /// The rendition's update rate: that of its key, or a slower one.
        let updateRate: UpdateRate
        /// The rendition's share of `privateRunners`; 0 for a common rendition.
        var weight = 0

        init(updateRate: UpdateRate) { self.updateRate = updateRate }

        /// A rendition that continues from what another rendition published.
        init(after other: Rendition, updateRate: UpdateRate) {
            self.updateRate = updateRate
            (counts, encoder) = (other.counts, other.encoder)
        }

        func become(_ counts: [CountsFrame.Record], published delivery: Delivery, at time: Timestamp) {
            (self.counts, encoder, snapshot) = (counts, nil, (delivery, time))
        }

        func switchToRunners() { (counts, encoder, snapshot) = (nil, nil, nil) }
    }

    /// A session that has left an area.
    struct Leave {
        let entry: ZoneUpdate.Left
        /// The tiers that saw the session there.
        let tiers: Set<Tier>
        let owner: Int64
    }

    /// A viewer whose account has blocks, in either direction.
    struct GuardedViewer {
        let subscriber: any Subscriber
        let account: Int64
        /// The private rendition, or the common one while no blocked person is in the area.
        var key: RenditionKey
    }

    /// Changes that the renditions of one update rate have not published yet.
    struct Changes {
        var changed: Set<Int64> = []
        var left: [Leave] = []
        /// When these renditions published last, monotonic nanoseconds.
        var publishedAt: UInt64 = 0

        var isEmpty: Bool { changed.isEmpty && left.isEmpty }
    }

    /// The feed of an area that has runners or viewers. A class, like its renditions: both are changed in place many times a second.
    final class AreaFeed {
        let area: Area
        var runners: Set<Int64> = []
        var full = Changes()
        /// Nil while the feed has no slow rendition.
        var slow: Changes?
        /// Common renditions.
        var commonRenditions: [RenditionKey: Rendition] = [:]
        /// Private renditions of accounts with blocks; a handful, or none.
        var privateRenditions: [RenditionKey: Rendition] = [:]
        /// Viewers with blocks, by subscriber.
        var guarded: [UInt64: GuardedViewer] = [:]
        /// The feed is in the list for the next tick.
        var isListed = false

        init(_ area: Area) { self.area = area }

        /// Whether the feed has neither runners nor viewers nor unpublished leaves.
        var isIdle: Bool { runners.isEmpty && !isWatched && full.left.isEmpty }

        var isWatched: Bool { !commonRenditions.isEmpty || !privateRenditions.isEmpty }

        /// Whether changes are unpublished, due now or later.
        var hasPendingChanges: Bool { !full.isEmpty || slow?.isEmpty == false }

        /// Changes for slow renditions; a new value is discarded while there is no slow rendition.
        var slowChanges: Changes {
            get { slow ?? Changes() }
            set { if slow != nil { slow = newValue } }
        }

        func touch(_ id: Int64) {
            full.changed.insert(id)
            slow?.changed.insert(id)
        }

        func leave(_ leave: Leave) {
            runners.remove(leave.entry.session)
            full.changed.remove(leave.entry.session)
            slow?.changed.remove(leave.entry.session)
            guard !leave.tiers.isEmpty else { return }
            full.left.append(leave)
            slow?.left.append(leave)
        }

        /// Unpublished leaves.
        var leaves: [Leave] { full.left + (slow?.left ?? []) }

        /// Whether a leave of the session is unpublished.
        func hasUnpublishedLeave(of id: Int64) -> Bool {
            full.left.contains { $0.entry.session == id } || slow?.left.contains { $0.entry.session == id } == true
        }

        /// The rendition that a subscriber views; nil when it views none. O(renditions).
        func renditionKey(of subscriber: any Subscriber) -> RenditionKey? {
            guarded[subscriber.subscriberID]?.key
                ?? commonRenditions.first { $0.value.viewers.contains(subscriber) }?.key
        }

        func rendition(_ key: RenditionKey) -> Rendition? {
            key.account == 0 ? commonRenditions[key] : privateRenditions[key]
        }
    }
}
