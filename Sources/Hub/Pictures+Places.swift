import EventLoop
import Wire

/// What is kept of an area, and of each way to see it.
extension Pictures {
    /// An area as one kind of viewers see it.
    final class Picture {
        var viewers = SubscriberSet()
        /// What was told last instead of runners, while there is a crowd.
        private(set) var counts: [CountsFrame.Record]?
        /// For binary pictures.
        var encoder: PositionEncoder?
        /// Shared by those who come soon after each other.
        var snapshot: (delivery: Delivery, madeAt: Timestamp)?
        /// When its viewers are told: as its look says, or more seldom.
        let pace: Pace
        /// What it counts for among those of somebody's own.
        var weight = 0

        init(pace: Pace) { self.pace = pace }

        /// What goes on from what another's viewers were told.
        init(after other: Picture, pace: Pace) {
            self.pace = pace
            (counts, encoder) = (other.counts, other.encoder)
        }

        func become(_ counts: [CountsFrame.Record], told delivery: Delivery, at time: Timestamp) {
            (self.counts, encoder, snapshot) = (counts, nil, (delivery, time))
        }

        func becomeRunners() { (counts, encoder, snapshot) = (nil, nil, nil) }
    }

    /// A session that is not in an area any more.
    struct Leave {
        let entry: ZoneUpdate.Left
        /// Who saw it there.
        let tiers: Set<Tier>
        let owner: Int64
    }

    /// A viewer who blocks somebody, or is blocked.
    struct GuardedViewer {
        let subscriber: any Subscriber
        let account: Int64
        /// Its own, or the shared one as long as nobody is there whom it must not see.
        var look: Look
    }

    /// What those of one pace are to be told.
    struct News {
        var changed: Set<Int64> = []
        var left: [Leave] = []
        /// When they were told last, monotonic nanoseconds.
        var toldAt: UInt64 = 0

        var isEmpty: Bool { changed.isEmpty && left.isEmpty }
    }

    /// An area with somebody in it, or somebody who looks. A class, as are its pictures: they are changed in place many times a
    /// second.
    final class Place {
        let area: Area
        var runners: Set<Int64> = []
        var full = News()
        /// Nil while nobody is slow.
        var slow: News?
        /// Shared by all who look alike.
        var pictures: [Look: Picture] = [:]
        /// Those of single accounts, with blocks; a handful, or none.
        var own: [Look: Picture] = [:]
        /// Viewers with blocks, by subscriber.
        var guarded: [UInt64: GuardedViewer] = [:]
        /// It is among those that the next tick looks at.
        var isListed = false

        init(_ area: Area) { self.area = area }

        /// Nobody is there and nobody looks.
        var isIdle: Bool { runners.isEmpty && !isWatched && full.left.isEmpty }

        var isWatched: Bool { !pictures.isEmpty || !own.isEmpty }

        /// Something is left to be told, now or later.
        var isUntold: Bool { !full.isEmpty || slow?.isEmpty == false }

        /// For those who are slow; what is set while nobody is, is forgotten.
        var slowNews: News {
            get { slow ?? News() }
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

        /// What is still to be told of leaving.
        var leaves: [Leave] { full.left + (slow?.left ?? []) }

        /// That a session has left is still to be told.
        func isTold(of id: Int64) -> Bool {
            full.left.contains { $0.entry.session == id } || slow?.left.contains { $0.entry.session == id } == true
        }

        /// How a subscriber looks at it; nil when it does not. O(looks).
        func look(of subscriber: any Subscriber) -> Look? {
            guarded[subscriber.subscriberID]?.look
                ?? pictures.first { $0.value.viewers.contains(subscriber) }?.key
        }

        func picture(_ look: Look) -> Picture? { look.account == 0 ? pictures[look] : own[look] }
    }
}
