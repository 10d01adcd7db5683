import Campus
import HubCore
import Wire

/// Crowds on wide views: a cell with more runners than a map can show apart publishes counts instead of runners.
///
/// A count includes only runners that the rendition's viewers may see. Neither the numbers nor the change between runners and counts
/// reveal a session that is not shared or a blocked person.
extension AreaFeeds {
    /// Cells of this zoom and deeper always show runners: there a map can show them apart, at most one zoom level further in.
    static let countsBelowZoom: UInt8 = 14
    /// A cell with more visible runners changes to counts.
    static let runnersShownMax = 64
    /// A cell with fewer visible runners changes back; in between it stays as it is.
    static let runnersCountedMin = 48

    /// The next publication of a rendition, as far as crowds matter.
    enum Crowd {
        /// No crowd: runners are published one by one.
        case none
        /// Counts that are the same as those published last.
        case same
        /// New counts, or a snapshot of all runners after counts.
        case changed(Delivery)
    }

    /// The next publication of a rendition after a change. O(runners of the cell).
    func crowd(
        of feed: AreaFeed, _ rendition: Rendition, _ key: RenditionKey, live: [Int64: LiveSession],
        serverTime: Timestamp
    ) -> Crowd {
        let counts = counts(of: feed, key, wasCounted: rendition.counts != nil, live: live)
        guard let counts else {
            guard rendition.counts != nil else { return .none }
            rendition.switchToRunners()
            return .changed(snapshot(of: feed, rendition, key, live: live, serverTime: serverTime))
        }
        guard counts != rendition.counts else { return .same }
        let delivery = Self.delivery(counts, of: feed.area, as: key, serverTime: serverTime)
        rendition.become(counts, published: delivery, at: serverTime)
        return .changed(delivery)
    }

    /// A snapshot of counts for a new viewer, the same as other viewers got last; nil when the rendition shows runners.
    func crowdSnapshot(
        of feed: AreaFeed, _ rendition: Rendition, _ key: RenditionKey, live: [Int64: LiveSession],
        serverTime: Timestamp
    ) -> Delivery? {
        if rendition.counts != nil, let made = rendition.snapshot, Self.isFresh(made.madeAt, serverTime) {
            return made.delivery
        }
        // A new viewer beside others waits with them for the tick. A single viewer gets the counts now, without runners before them.
        let isAlone = rendition.viewers.count == 1
        let found = isAlone ? counts(of: feed, key, wasCounted: rendition.counts != nil, live: live) : rendition.counts
        guard let counts = found ?? rendition.counts else { return nil }
        let delivery = Self.delivery(counts, of: feed.area, as: key, serverTime: serverTime)
        rendition.become(counts, published: delivery, at: serverTime)
        return delivery
    }

    private static func delivery(
        _ counts: [CountsFrame.Record], of area: Area, as key: RenditionKey, serverTime: Timestamp
    ) -> Delivery {
        let frame = CountsFrame(area: area.frameArea, serverTime: serverTime, records: counts)
        return switch key.encoding {
        case .json: Delivery(topic: area.topic, json: HubCore.json(area.topic, frame.update), lane: .conflating)
        case .binary: Delivery(topic: area.topic, binary: frame.encoded, lane: .conflating)
        }
    }

    /// Counts of the runners that a rendition shows, by square of the cell; nil when it shows them one by one.
    private func counts(
        of feed: AreaFeed, _ key: RenditionKey, wasCounted: Bool, live: [Int64: LiveSession]
    ) -> [CountsFrame.Record]? {
        let visibleMin = wasCounted ? Self.runnersCountedMin : Self.runnersShownMax + 1
        guard case .cell(let cell) = feed.area, cell.zoom < Self.countsBelowZoom, feed.runners.count >= visibleMin
        else { return nil }
        var squares = [Square](repeating: Square(), count: Cluster.side * Cluster.side)
        var visible = 0
        for id in feed.runners {
            guard let session = live[id], shows(session, key), let fix = session.fix else { continue }
            visible += 1
            squares[Self.square(of: fix.position, in: cell)].add(fix.position)
        }
        guard visible >= visibleMin else { return nil }
        return squares.enumerated().compactMap { $0.element.record(index: UInt8($0.offset)) }
    }

    /// Index of the square of a position. Squares are the tiles three zoom levels deeper.
    private static func square(of position: LatLon, in cell: Cell) -> Int {
        guard let deep = Cell(at: position)?.ancestor(zoom: cell.zoom + 3) else { return 0 }
        let mask = UInt32(Cluster.side - 1)
        return Int(deep.y & mask) * Cluster.side + Int(deep.x & mask)
    }

    /// Sums of whole numbers, so that the mean position of the same runners does not depend on their order.
    private struct Square {
        private var count = 0
        private var lat = 0
        private var lon = 0

        mutating func add(_ position: LatLon) {
            count += 1
            lat += Int((position.latitude * CountsFrame.unitsPerDegree).rounded())
            lon += Int((position.longitude * CountsFrame.unitsPerDegree).rounded())
        }

        func record(index: UInt8) -> CountsFrame.Record? {
            guard count > 0 else { return nil }
            func mean(_ sum: Int) -> Int32 { Int32(clamping: Int((Double(sum) / Double(count)).rounded())) }
            return CountsFrame.Record(index: index, count: UInt32(clamping: count), lat: mean(lat), lon: mean(lon))
        }
    }
}
