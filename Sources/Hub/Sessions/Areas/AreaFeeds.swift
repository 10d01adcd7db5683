import Campus
import EventLoop
import HubCore
import Wire

/// The area feeds: the runners of each area, its viewers, and the changes since the last tick. Confined to the hub's loop.
///
/// A rendition (`Rendition`) is an area feed for one audience, in one encoding and at one update rate. A tick encodes the changes of a
/// rendition once, and all its viewers share the bytes (B-2). A zone's feed always exists while runners are in it, a cell's feed only
/// while it has viewers. A viewer with a block gets a private rendition of the area that leaves the blocked person out (see
/// `AreaFeeds+Blocks.swift`).
struct AreaFeeds {
    /// Key of a rendition.
    struct RenditionKey: Hashable {
        let tier: Tier
        let encoding: PositionEncoding
        var updateRate = UpdateRate.full
        /// The account of a private rendition, for viewers with blocks; 0 for the common rendition.
        var account: Int64 = 0

        /// The common rendition with the same tier, encoding and rate.
        var shared: RenditionKey { RenditionKey(tier: tier, encoding: encoding, updateRate: updateRate) }
    }

    /// Update rate of a rendition.
    enum UpdateRate: Hashable, CaseIterable {
        /// At each publication of the area.
        case full
        /// Every ``slowInterval``: for connections that did not keep up.
        case slow
    }

    /// Update interval of slow renditions; changes in between are merged.
    static let slowInterval = Duration.seconds(5)

    /// One delivery and its receivers.
    typealias Publication = (delivery: Delivery, viewers: SubscriberSet)

    let blocks: Blocks
    private(set) var feeds: [Area: AreaFeed] = [:]
    private(set) var placesOf: [Int64: [AreaFeed]] = [:]
    /// Feeds with unpublished changes, due now or later.
    var changed: [AreaFeed] = []
    /// The sum that ``privateRunnersMax`` limits.
    var privateRunners = 0
    /// Number of viewed cells by level: a level without viewed cells costs nothing.
    private var watchedCells: [UInt8: Int] = [:]

    init(blocks: Blocks) { self.blocks = blocks }

    // MARK: Runners

    /// Sessions in an area.
    func runners(in area: Area) -> Set<Int64> { feeds[area]?.runners ?? [] }

    /// Zones with sessions in them.
    var occupiedZones: [Int64: Set<Int64>] {
        var zones: [Int64: Set<Int64>] = [:]
        for case (.zone(let id), let feed) in feeds where !feed.runners.isEmpty { zones[id] = feed.runners }
        return zones
    }

    /// Moves a session to the areas of its newest fix: it leaves and enters areas, and is marked as changed where it is. O(levels).
    mutating func move(_ session: LiveSession) {
        let id = session.session.id
        let before = placesOf[id] ?? []
        let now = session.fix.map { feeds(of: $0) } ?? []
        for feed in before where !now.contains(where: { $0 === feed }) {
            leave(session, feed, reason: .zone, to: session.fix?.zone)
        }
        for feed in now where !before.contains(where: { $0 === feed }) {
            // Before any viewer learns of it.
            separate(from: session.session.owner.id, in: feed)
            feed.runners.insert(id)
        }
        placesOf[id] = now.isEmpty ? nil : now
        touch(id, in: now)
    }

    /// Marks a session as changed in all its areas.
    mutating func touch(_ id: Int64) { touch(id, in: placesOf[id] ?? []) }

    private mutating func touch(_ id: Int64, in feeds: [AreaFeed]) {
        for feed in feeds {
            feed.touch(id)
            list(feed)
        }
    }

    mutating func list(_ feed: AreaFeed) {
        guard !feed.isListed else { return }
        feed.isListed = true
        changed.append(feed)
    }

    /// Removes a session from all areas.
    mutating func remove(_ session: LiveSession, reason: ZoneUpdate.Left.Reason) {
        for feed in placesOf.removeValue(forKey: session.session.id) ?? [] {
            leave(session, feed, reason: reason, to: nil)
        }
    }

    private mutating func feeds(of fix: LiveFix) -> [AreaFeed] {
        var found: [AreaFeed] = []
        if let zone = fix.zone { found.append(place(.zone(zone))) }
        guard !watchedCells.isEmpty, let finest = Cell(at: fix.position) else { return found }
        for level in Viewport.levels where watchedCells[level] != nil {
            if let feed = feeds[.cell(finest.ancestor(zoom: level))] { found.append(feed) }
        }
        return found
    }

    /// The feed of an area, created if there is none.
    private mutating func place(_ area: Area) -> AreaFeed {
        if let feed = feeds[area] { return feed }
        let feed = AreaFeed(area)
        feeds[area] = feed
        return feed
    }

    private mutating func leave(
        _ session: LiveSession, _ feed: AreaFeed, reason: ZoneUpdate.Left.Reason, to zone: Int64?
    ) {
        let id = session.session.id
        let tiers = Set(Tier.allCases.filter(session.isAllowed(to:)))
        feed.leave(
            Leave(
                entry: .init(session: id, reason: reason, to: zone), tiers: tiers, owner: session.session.owner.id))
        if !tiers.isEmpty { list(feed) }
        forgetIdle(feed)
    }

    mutating func forgetIdle(_ feed: AreaFeed) {
        // A new feed of the area may have replaced it since it was closed.
        if feed.isIdle, feeds[feed.area] === feed { feeds[feed.area] = nil }
    }

    // MARK: Viewers

    /// Number of renditions that have viewers.
    var count: Int { feeds.values.reduce(0) { $0 + $1.commonRenditions.count + $1.privateRenditions.count } }

    /// Numbers of viewers of zones and of cells.
    var viewers: (zones: Int, cells: Int) {
        var counts = (zones: 0, cells: 0)
        for (area, feed) in feeds {
            let viewers =
                (feed.commonRenditions.values.lazy.map(\.viewers.count)
                + feed.privateRenditions.values.lazy.map(\.viewers.count))
                .reduce(0, +)
            if case .zone = area { counts.zones += viewers } else { counts.cells += viewers }
        }
        return counts
    }

    /// Areas that have viewers. O(areas).
    var watched: [Area] { feeds.lazy.filter { $0.value.isWatched }.map(\.key) }

    /// The rendition of an area that a subscriber views; nil when it views none. O(renditions).
    func renditionKey(of subscriber: any Subscriber, at area: Area) -> RenditionKey? {
        feeds[area]?.renditionKey(of: subscriber)
    }

    /// Makes a subscriber a viewer of one rendition of an area, instead of any other. O(sessions) for the first viewer of a cell,
    /// O(runners) for a viewer with blocks.
    /// - Parameter account: The viewer's account; nil for a guest.
    /// - Returns: The rendition: for a viewer with blocks, it may be a private one.
    @discardableResult
    mutating func watch(
        _ area: Area, by subscriber: any Subscriber, as key: RenditionKey, account: Int64? = nil,
        live: [Int64: LiveSession]
    ) -> RenditionKey {
        unwatch(area, by: subscriber)
        if case .cell(let cell) = area, feeds[area] == nil { open(cell, live) }
        let feed = place(area)
        let key = account.map { self.renditionKey(of: $0, at: feed, as: key, live: live) } ?? key
        if let account, key.account != 0 || !blocks[account].isEmpty {
            feed.guarded[subscriber.subscriberID] = GuardedViewer(
                subscriber: subscriber, account: account, key: key)
        }
        join(feed, key, subscriber)
        return key
    }

    /// Removes a viewer from an area. Idempotent.
    mutating func unwatch(_ area: Area, by subscriber: any Subscriber) {
        guard let feed = feeds[area], let key = feed.renditionKey(of: subscriber) else { return }
        feed.guarded[subscriber.subscriberID] = nil
        part(feed, key, subscriber)
        if case .cell(let cell) = area, !feed.isWatched { close(cell, feed) }
        forgetIdle(feed)
    }

    private mutating func open(_ cell: Cell, _ live: [Int64: LiveSession]) {
        let feed = place(.cell(cell))
        for (id, session) in live {
            guard let fix = session.fix, Cell(at: fix.position)?.ancestor(zoom: cell.zoom) == cell else { continue }
            feed.runners.insert(id)
            placesOf[id, default: []].append(feed)
        }
        watchedCells[cell.zoom, default: 0] += 1
    }

    private mutating func close(_ cell: Cell, _ feed: AreaFeed) {
        feeds[feed.area] = nil
        for id in feed.runners {
            placesOf[id]?.removeAll { $0 === feed }
            if placesOf[id]?.isEmpty == true { placesOf[id] = nil }
        }
        // The next tick may have the feed in its list; it must find nothing to publish.
        (feed.runners, feed.full, feed.slow) = ([], Changes(), nil)
        watchedCells[cell.zoom, default: 0] -= 1
        if watchedCells[cell.zoom, default: 0] <= 0 { watchedCells[cell.zoom] = nil }
    }
}

extension Cell {
    /// The cell of the finest level at a position from the wire; nil for an invalid position.
    init?(at position: LatLon) {
        guard let point = try? GeoPoint(latitude: position.latitude, longitude: position.longitude),
            let zoom = Viewport.levels.last
        else { return nil }
        self.init(containing: point, zoom: zoom)
    }
}
