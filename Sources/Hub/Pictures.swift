import Campus
import EventLoop
import Wire

/// The area feeds: the runners of each area, its viewers, and the changes since the last tick. Confined to the hub's loop.
///
/// A rendition (`Picture`) is an area feed for one audience, in one encoding and at one update rate. A tick encodes the changes of a
/// rendition once, and all its viewers share the bytes (B-2). A zone's feed always exists while runners are in it, a cell's feed only
/// while it has viewers. A viewer with a block gets a private rendition of the area that leaves the blocked person out (see
/// `Pictures+Blocks.swift`).
struct Pictures {
    /// Key of a rendition.
    struct Look: Hashable {
        let tier: Tier
        let encoding: PositionEncoding
        var pace = Pace.full
        /// The account of a private rendition, for viewers with blocks; 0 for the common rendition.
        var account: Int64 = 0

        /// The common rendition with the same tier, encoding and rate.
        var shared: Look { Look(tier: tier, encoding: encoding, pace: pace) }
    }

    /// Update rate of a rendition.
    enum Pace: Hashable, CaseIterable {
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
    private(set) var places: [Area: Place] = [:]
    private(set) var placesOf: [Int64: [Place]] = [:]
    /// Feeds with unpublished changes, due now or later.
    private(set) var changed: [Place] = []
    /// The sum that ``ownRunnersMax`` limits.
    var ownRunners = 0
    /// Number of viewed cells by level: a level without viewed cells costs nothing.
    private var watchedCells: [UInt8: Int] = [:]

    init(blocks: Blocks) { self.blocks = blocks }

    // MARK: Runners

    /// Sessions in an area.
    func runners(in area: Area) -> Set<Int64> { places[area]?.runners ?? [] }

    /// Zones with sessions in them.
    var occupiedZones: [Int64: Set<Int64>] {
        var zones: [Int64: Set<Int64>] = [:]
        for case (.zone(let id), let place) in places where !place.runners.isEmpty { zones[id] = place.runners }
        return zones
    }

    /// Moves a session to the areas of its newest fix: it leaves and enters areas, and is marked as changed where it is. O(levels).
    mutating func move(_ session: LiveSession) {
        let id = session.session.id
        let before = placesOf[id] ?? []
        let now = session.fix.map { places(of: $0) } ?? []
        for place in before where !now.contains(where: { $0 === place }) {
            leave(session, place, reason: .zone, to: session.fix?.zone)
        }
        for place in now where !before.contains(where: { $0 === place }) {
            // Before any viewer learns of it.
            separate(from: session.session.owner.id, in: place)
            place.runners.insert(id)
        }
        placesOf[id] = now.isEmpty ? nil : now
        touch(id, in: now)
    }

    /// Marks a session as changed in all its areas.
    mutating func touch(_ id: Int64) { touch(id, in: placesOf[id] ?? []) }

    private mutating func touch(_ id: Int64, in places: [Place]) {
        for place in places {
            place.touch(id)
            list(place)
        }
    }

    private mutating func list(_ place: Place) {
        guard !place.isListed else { return }
        place.isListed = true
        changed.append(place)
    }

    /// Removes a session from all areas.
    mutating func remove(_ session: LiveSession, reason: ZoneUpdate.Left.Reason) {
        for place in placesOf.removeValue(forKey: session.session.id) ?? [] {
            leave(session, place, reason: reason, to: nil)
        }
    }

    private mutating func places(of fix: LiveFix) -> [Place] {
        var found: [Place] = []
        if let zone = fix.zone { found.append(place(.zone(zone))) }
        guard !watchedCells.isEmpty, let finest = Cell(at: fix.position) else { return found }
        for level in Viewport.levels where watchedCells[level] != nil {
            if let place = places[.cell(finest.ancestor(zoom: level))] { found.append(place) }
        }
        return found
    }

    /// The feed of an area, created if there is none.
    private mutating func place(_ area: Area) -> Place {
        if let place = places[area] { return place }
        let place = Place(area)
        places[area] = place
        return place
    }

    private mutating func leave(_ session: LiveSession, _ place: Place, reason: ZoneUpdate.Left.Reason, to zone: Int64?)
    {
        let id = session.session.id
        let tiers = Set(Tier.allCases.filter(session.isAllowed(to:)))
        place.leave(
            Leave(
                entry: .init(session: id, reason: reason, to: zone), tiers: tiers, owner: session.session.owner.id))
        if !tiers.isEmpty { list(place) }
        forgetIdle(place)
    }

    private mutating func forgetIdle(_ place: Place) {
        // A new feed of the area may have replaced it since it was closed.
        if place.isIdle, places[place.area] === place { places[place.area] = nil }
    }

    // MARK: Viewers

    /// Number of renditions that have viewers.
    var count: Int { places.values.reduce(0) { $0 + $1.pictures.count + $1.own.count } }

    /// Numbers of viewers of zones and of cells.
    var viewers: (zones: Int, cells: Int) {
        var counts = (zones: 0, cells: 0)
        for (area, place) in places {
            let viewers = (place.pictures.values.lazy.map(\.viewers.count) + place.own.values.lazy.map(\.viewers.count))
                .reduce(0, +)
            if case .zone = area { counts.zones += viewers } else { counts.cells += viewers }
        }
        return counts
    }

    /// Areas that have viewers. O(areas).
    var watched: [Area] { places.lazy.filter { $0.value.isWatched }.map(\.key) }

    /// The rendition of an area that a subscriber views; nil when it views none. O(renditions).
    func look(of subscriber: any Subscriber, at area: Area) -> Look? { places[area]?.look(of: subscriber) }

    /// Makes a subscriber a viewer of one rendition of an area, instead of any other. O(sessions) for the first viewer of a cell,
    /// O(runners) for a viewer with blocks.
    /// - Parameter account: The viewer's account; nil for a guest.
    /// - Returns: The rendition: for a viewer with blocks, it may be a private one.
    @discardableResult
    mutating func watch(
        _ area: Area, by subscriber: any Subscriber, as look: Look, account: Int64? = nil, live: [Int64: LiveSession]
    ) -> Look {
        unwatch(area, by: subscriber)
        if case .cell(let cell) = area, places[area] == nil { open(cell, live) }
        let place = place(area)
        let look = account.map { self.look(of: $0, at: place, as: look, live: live) } ?? look
        if let account, look.account != 0 || !blocks[account].isEmpty {
            place.guarded[subscriber.subscriberID] = GuardedViewer(
                subscriber: subscriber, account: account, look: look)
        }
        join(place, look, subscriber)
        return look
    }

    /// Removes a viewer from an area. Idempotent.
    mutating func unwatch(_ area: Area, by subscriber: any Subscriber) {
        guard let place = places[area], let look = place.look(of: subscriber) else { return }
        place.guarded[subscriber.subscriberID] = nil
        part(place, look, subscriber)
        if case .cell(let cell) = area, !place.isWatched { close(cell, place) }
        forgetIdle(place)
    }

    private mutating func open(_ cell: Cell, _ live: [Int64: LiveSession]) {
        let place = place(.cell(cell))
        for (id, session) in live {
            guard let fix = session.fix, Cell(at: fix.position)?.ancestor(zoom: cell.zoom) == cell else { continue }
            place.runners.insert(id)
            placesOf[id, default: []].append(place)
        }
        watchedCells[cell.zoom, default: 0] += 1
    }

    private mutating func close(_ cell: Cell, _ place: Place) {
        places[place.area] = nil
        for id in place.runners {
            placesOf[id]?.removeAll { $0 === place }
            if placesOf[id]?.isEmpty == true { placesOf[id] = nil }
        }
        // The next tick may have the feed in its list; it must find nothing to publish.
        (place.runners, place.full, place.slow) = ([], News(), nil)
        watchedCells[cell.zoom, default: 0] -= 1
        if watchedCells[cell.zoom, default: 0] <= 0 { watchedCells[cell.zoom] = nil }
    }

    // MARK: Publications

    /// The sessions of an area that a rendition shows.
    func visible(in area: Area, to look: Look, live: [Int64: LiveSession]) -> [LiveSession] {
        runners(in: area).compactMap { live[$0] }.filter { shows($0, look) }
            .sorted { $0.session.id < $1.session.id }
    }

    /// A snapshot of a rendition, from which the next tick's delta continues.
    func snapshot(
        of area: Area, as look: Look, live: [Int64: LiveSession], serverTime: Timestamp
    ) -> Delivery? {
        guard let place = places[area], let picture = place.picture(look) else { return nil }
        if let crowd = crowdSnapshot(of: place, picture, look, live: live, serverTime: serverTime) { return crowd }
        return snapshot(of: place, picture, look, live: live, serverTime: serverTime)
    }

    /// A snapshot that shows runners one by one.
    func snapshot(
        of place: Place, _ picture: Picture, _ look: Look, live: [Int64: LiveSession], serverTime: Timestamp
    ) -> Delivery {
        if let made = picture.snapshot, Self.isFresh(made.madeAt, serverTime) { return made.delivery }
        let area = place.area
        let made: Delivery
        switch look.encoding {
        case .json:
            let runners = visible(in: area, to: look, live: live).compactMap(\.runner)
            var update = ZoneUpdate(serverTime: serverTime, runners: runners, left: [])
            update.full = true
            made = Delivery(topic: area.topic, json: Hub.json(area.topic, update), lane: .conflating)
        case .binary:
            // Earlier viewers know these runners already, as of the last tick.
            if picture.encoder == nil {
                var encoder = PositionEncoder(picture: area.picture, grid: area.grid)
                let runners = visible(in: area, to: look, live: live).compactMap(\.runner)
                _ = encoder.update(runners, left: [], serverTime: serverTime)
                picture.encoder = encoder
            }
            let frame = picture.encoder?.snapshot(serverTime: serverTime) ?? []
            made = Delivery(topic: area.topic, binary: frame, lane: .conflating)
        }
        picture.snapshot = (made, serverTime)
        return made
    }

    /// Whether a snapshot is young enough to be sent again: it also contains the server's time.
    static func isFresh(_ madeAt: Timestamp, _ now: Timestamp) -> Bool {
        (0..<Int64(Hub.tickInterval.nanoseconds / 1_000_000)).contains(now.milliseconds - madeAt.milliseconds)
    }

    /// Withdraws a session from viewers of a tier immediately, also in areas that it has just left.
    func hide(
        _ id: Int64, from tier: Tier, live: [Int64: LiveSession], serverTime: Timestamp
    ) -> [Publication] {
        let here = placesOf[id] ?? []
        let left = changed.filter { place in place.isTold(of: id) && !here.contains { $0 === place } }
        return (here + left).flatMap { place in
            publish(
                place, looks: { look, _ in look.tier == tier }, live: live, serverTime: serverTime,
                runners: { _ in [] },
                left: { look in
                    // A viewer that is blocked with the owner never learned of the session.
                    if let session = live[id], isBlocked(session.session.owner.id, look) { return [] }
                    return [.init(session: id, reason: .hidden)]
                })
        }
    }

    /// Whether there are changes that are not due yet.
    var isWaiting: Bool { !changed.isEmpty }

    /// Update interval of an area; nil for every tick. On a wide view a runner takes seconds to cross a pixel.
    private static func interval(of area: Area) -> Duration? {
        guard case .cell(let cell) = area else { return nil }
        return switch cell.zoom {
        case ...11: .seconds(2)
        case ...13: .seconds(1)
        default: nil
        }
    }

    /// Publishes the changes to all renditions that are due.
    /// - Parameter now: Monotonic nanoseconds.
    mutating func tick(live: [Int64: LiveSession], serverTime: Timestamp, now: UInt64) -> [Publication] {
        var publications: [Publication] = []
        let listed = changed
        changed.removeAll(keepingCapacity: true)
        for place in listed {
            publications += tell(\.full, .full, of: place, every: Self.interval(of: place.area), live, serverTime, now)
            if place.slow != nil {
                publications += tell(\.slowChanges, .slow, of: place, every: Self.slowInterval, live, serverTime, now)
            }
            place.isListed = false
            if place.hasPendingChanges { list(place) }
            forgetIdle(place)
        }
        return publications
    }

    private func tell(
        _ news: ReferenceWritableKeyPath<Place, News>, _ pace: Pace, of place: Place, every interval: Duration?,
        _ live: [Int64: LiveSession], _ serverTime: Timestamp, _ now: UInt64
    ) -> [Publication] {
        // Timers are not exact: half a tick early is as good as late.
        let early = Hub.tickInterval.nanoseconds / 2
        let told = place[keyPath: news]
        guard !told.isEmpty else { return [] }
        if let interval, now &- told.toldAt &+ early < interval.nanoseconds { return [] }
        place[keyPath: news] = News(toldAt: now)
        return publish(
            place, looks: { $1.pace == pace }, live: live, serverTime: serverTime,
            runners: { look in
                told.changed.compactMap { id in
                    guard let session = live[id], shows(session, look), session.state != .finished else { return nil }
                    return session.runner
                }
            },
            left: { look in left(told.left, of: place.runners, look, live: live) })
    }

    /// One entry for each session that left, with the zone that it is in now; none for a session that came back before the tick.
    private func left(
        _ leaves: [Leave], of present: Set<Int64>, _ look: Look, live: [Int64: LiveSession]
    ) -> [ZoneUpdate.Left] {
        var left: [Int64: ZoneUpdate.Left] = [:]
        for leave in leaves where leave.tiers.contains(look.tier) && !isBlocked(leave.owner, look) {
            var entry = leave.entry
            if let session = live[entry.session], session.isVisible(to: look.tier) {
                if present.contains(entry.session) { continue }
                entry.to = session.fix?.zone
            } else {
                entry.to = nil
            }
            left[entry.session] = entry
        }
        return left.values.sorted { $0.session < $1.session }
    }

    func publish(
        _ place: Place, looks: (Look, Picture) -> Bool, live: [Int64: LiveSession], serverTime: Timestamp,
        runners: (Look) -> [Runner], left: (Look) -> [ZoneUpdate.Left]
    ) -> [Publication] {
        var publications: [Publication] = []
        func tell(_ pictures: [Look: Picture]) {
            for (look, picture) in pictures where looks(look, picture) {
                let (runners, left) = (runners(look), left(look))
                guard !runners.isEmpty || !left.isEmpty,
                    let delivery = news(
                        of: place, picture, look, runners: runners, left: left, live: live, serverTime: serverTime)
                else { continue }
                publications.append((delivery, picture.viewers))
            }
        }
        tell(place.pictures)
        if !place.own.isEmpty { tell(place.own) }
        return publications
    }

    /// The update of a rendition; nil when its viewers need none.
    private func news(
        of place: Place, _ picture: Picture, _ look: Look, runners: [Runner], left: [ZoneUpdate.Left],
        live: [Int64: LiveSession], serverTime: Timestamp
    ) -> Delivery? {
        switch crowd(of: place, picture, look, live: live, serverTime: serverTime) {
        case .none: break
        case .same: return nil
        case .told(let delivery): return delivery
        }
        picture.snapshot = nil
        let topic = place.area.topic
        switch look.encoding {
        case .json:
            // The next snapshot makes good for a skipped leave, so the update may be conflated.
            let update = ZoneUpdate(serverTime: serverTime, runners: runners, left: left)
            return Delivery(topic: topic, json: Hub.json(topic, update), lane: .conflating)
        case .binary:
            return picture.encoder?.update(runners, left: left, serverTime: serverTime).map {
                Delivery(topic: topic, binary: $0, lane: .conflating)
            }
        }
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
