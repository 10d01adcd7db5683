import Campus
import EventLoop
import Wire

/// Who is where, who looks, and what has changed since the last tick: the conflating lane's half of the hub, on its loop.
///
/// A picture is an area as one kind of viewers may see it, in one encoding. What changed in it is encoded once a tick, and all
/// its viewers share the bytes (B-2). Zones know their runners always, cells while somebody looks.
struct Pictures {
    /// How a picture is seen.
    struct Look: Hashable {
        let tier: Tier
        let encoding: PositionEncoding
        var pace = Pace.full
    }

    /// How often its viewers are told.
    enum Pace: Hashable, CaseIterable {
        /// As often as the area is.
        case full
        /// Every ``slowInterval``: for connections that did not keep up.
        case slow
    }

    /// Between two times that those are told who did not keep up: what moves meanwhile is told once.
    static let slowInterval = Duration.seconds(5)

    /// One delivery and whom it is for.
    typealias Publication = (delivery: Delivery, viewers: SubscriberSet)

    struct Picture {
        var viewers = SubscriberSet()
        /// What was told last instead of runners, while there is a crowd.
        private(set) var counts: [CountsFrame.Record]?
        /// For binary pictures.
        var encoder: PositionEncoder?
        /// Shared by those who come soon after each other.
        var snapshot: (delivery: Delivery, madeAt: Timestamp)?

        mutating func become(_ counts: [CountsFrame.Record], told delivery: Delivery, at time: Timestamp) {
            (self.counts, encoder, snapshot) = (counts, nil, (delivery, time))
        }

        mutating func becomeRunners() { (counts, encoder, snapshot) = (nil, nil, nil) }
    }

    /// What those of one pace are to be told.
    struct News {
        var changed: Set<Int64> = []
        var left: [(entry: ZoneUpdate.Left, tiers: Set<Tier>)] = []
        /// When they were told last, monotonic nanoseconds.
        var toldAt: UInt64 = 0

        var isEmpty: Bool { changed.isEmpty && left.isEmpty }
    }

    struct Place {
        var runners: Set<Int64> = []
        var full = News()
        /// Nil while nobody is slow.
        var slow: News?
        var pictures: [Look: Picture] = [:]

        /// Nobody is there and nobody looks.
        var isIdle: Bool { runners.isEmpty && pictures.isEmpty && full.left.isEmpty }

        /// Something is left to be told, now or later.
        var isUntold: Bool { !full.isEmpty || slow?.isEmpty == false }

        /// For those who are slow; what is set while nobody is, is forgotten.
        var slowNews: News {
            get { slow ?? News() }
            set { if slow != nil { slow = newValue } }
        }

        mutating func touch(_ id: Int64) {
            full.changed.insert(id)
            slow?.changed.insert(id)
        }

        mutating func leave(_ id: Int64, _ entry: ZoneUpdate.Left, _ tiers: Set<Tier>) {
            runners.remove(id)
            full.changed.remove(id)
            slow?.changed.remove(id)
            guard !tiers.isEmpty else { return }
            full.left.append((entry, tiers))
            slow?.left.append((entry, tiers))
        }
    }

    var places: [Area: Place] = [:]
    private var areasOf: [Int64: [Area]] = [:]
    private var changedAreas: Set<Area> = []
    /// Watched cells by level: levels without any cost nothing.
    private var watchedCells: [UInt8: Int] = [:]

    // MARK: Runners

    /// Those in an area.
    func runners(in area: Area) -> Set<Int64> { places[area]?.runners ?? [] }

    /// Zones with anybody in them.
    var occupiedZones: [Int64: Set<Int64>] {
        var zones: [Int64: Set<Int64>] = [:]
        for case (.zone(let id), let place) in places where !place.runners.isEmpty { zones[id] = place.runners }
        return zones
    }

    /// A runner is at its newest fix: it leaves and enters areas, and is told of in those where it is. O(levels).
    mutating func move(_ session: LiveSession) {
        let id = session.session.id
        let before = areasOf[id] ?? []
        let now = session.fix.map(areas(of:)) ?? []
        for area in before where !now.contains(area) {
            leave(session, area: area, reason: .zone, to: session.fix?.zone)
        }
        for area in now where !before.contains(area) { places[area, default: Place()].runners.insert(id) }
        areasOf[id] = now.isEmpty ? nil : now
        touch(id)
    }

    /// Something about a runner is new.
    mutating func touch(_ id: Int64) {
        for area in areasOf[id] ?? [] {
            places[area]?.touch(id)
            changedAreas.insert(area)
        }
    }

    /// A session is over.
    mutating func remove(_ session: LiveSession, reason: ZoneUpdate.Left.Reason) {
        for area in areasOf.removeValue(forKey: session.session.id) ?? [] {
            leave(session, area: area, reason: reason, to: nil)
        }
    }

    private func areas(of fix: LiveFix) -> [Area] {
        var areas: [Area] = fix.zone.map { [.zone($0)] } ?? []
        guard !watchedCells.isEmpty, let finest = Cell(at: fix.position) else { return areas }
        for level in Viewport.levels where watchedCells[level] != nil {
            let area = Area.cell(finest.ancestor(zoom: level))
            if places[area] != nil { areas.append(area) }
        }
        return areas
    }

    private mutating func leave(_ session: LiveSession, area: Area, reason: ZoneUpdate.Left.Reason, to zone: Int64?) {
        let id = session.session.id
        let tiers = Set(Tier.allCases.filter(session.isAllowed(to:)))
        places[area]?.leave(id, .init(session: id, reason: reason, to: zone), tiers)
        if !tiers.isEmpty { changedAreas.insert(area) }
        forgetIdle(area)
    }

    private mutating func forgetIdle(_ area: Area) {
        if places[area]?.isIdle == true { places[area] = nil }
    }

    // MARK: Viewers

    /// Pictures that somebody looks at.
    var count: Int { places.values.reduce(0) { $0 + $1.pictures.count } }

    /// Zones that somebody looks at, and how many look at each kind of area.
    var viewers: (zones: Int, cells: Int) {
        var counts = (zones: 0, cells: 0)
        for (area, place) in places {
            let viewers = place.pictures.values.reduce(0) { $0 + $1.viewers.count }
            if case .zone = area { counts.zones += viewers } else { counts.cells += viewers }
        }
        return counts
    }

    /// What somebody looks at. O(areas).
    var watched: [Area] { places.lazy.filter { !$0.value.pictures.isEmpty }.map(\.key) }

    /// How a subscriber looks at an area; nil when it does not. O(looks).
    func look(of subscriber: any Subscriber, at area: Area) -> Look? {
        places[area]?.pictures.first { $0.value.viewers.contains(subscriber) }?.key
    }

    /// A subscriber looks at an area from now on, in one way only. O(runners) for the first one in a cell.
    mutating func watch(
        _ area: Area, by subscriber: any Subscriber, as look: Look, live: [Int64: LiveSession]
    ) {
        unwatch(area, by: subscriber)
        if case .cell(let cell) = area, places[area] == nil { open(cell, live) }
        places[area, default: Place()].pictures[look, default: Picture()].viewers.insert(subscriber)
        if look.pace == .slow, places[area]?.slow == nil { places[area]?.slow = News() }
    }

    /// A subscriber looks away. Harmless when it did not look.
    mutating func unwatch(_ area: Area, by subscriber: any Subscriber) {
        guard let look = look(of: subscriber, at: area) else { return }
        places[area]?.pictures[look]?.viewers.remove(subscriber)
        guard places[area]?.pictures[look]?.viewers.isEmpty == true else { return }
        places[area]?.pictures[look] = nil
        if look.pace == .slow, places[area]?.pictures.keys.contains(where: { $0.pace == .slow }) == false {
            places[area]?.slow = nil
        }
        if case .cell(let cell) = area, places[area]?.pictures.isEmpty == true { close(cell) }
        forgetIdle(area)
    }

    private mutating func open(_ cell: Cell, _ live: [Int64: LiveSession]) {
        var place = Place()
        for (id, session) in live {
            guard let fix = session.fix, Cell(at: fix.position)?.ancestor(zoom: cell.zoom) == cell else { continue }
            place.runners.insert(id)
            areasOf[id, default: []].append(.cell(cell))
        }
        places[.cell(cell)] = place
        watchedCells[cell.zoom, default: 0] += 1
    }

    private mutating func close(_ cell: Cell) {
        let area = Area.cell(cell)
        for id in places.removeValue(forKey: area)?.runners ?? [] {
            areasOf[id]?.removeAll { $0 == area }
            if areasOf[id]?.isEmpty == true { areasOf[id] = nil }
        }
        changedAreas.remove(area)
        watchedCells[cell.zoom, default: 0] -= 1
        if watchedCells[cell.zoom, default: 0] <= 0 { watchedCells[cell.zoom] = nil }
    }

    // MARK: What they are told

    /// The sessions of an area that `tier` may see.
    func visible(in area: Area, to tier: Tier, live: [Int64: LiveSession]) -> [LiveSession] {
        runners(in: area).compactMap { live[$0] }.filter { $0.isVisible(to: tier) }
            .sorted { $0.session.id < $1.session.id }
    }

    /// All that a viewer of an area sees, as what the next tick goes on from.
    mutating func snapshot(
        of area: Area, as look: Look, live: [Int64: LiveSession], serverTime: Timestamp
    ) -> Delivery? {
        if let crowd = crowdSnapshot(of: area, as: look, live: live, serverTime: serverTime) { return crowd }
        guard var picture = places[area]?.pictures[look] else { return nil }
        if let made = picture.snapshot, Self.isFresh(made.madeAt, serverTime) { return made.delivery }
        let runners = visible(in: area, to: look.tier, live: live).compactMap(\.runner)
        let made: Delivery
        switch look.encoding {
        case .json:
            var update = ZoneUpdate(serverTime: serverTime, runners: runners, left: [])
            update.full = true
            made = Delivery(topic: area.topic, json: Hub.json(area.topic, update), lane: .conflating)
        case .binary:
            var encoder = picture.encoder ?? PositionEncoder(picture: area.picture, grid: area.grid)
            // Whoever looked before knows them already, as of the last tick.
            if picture.encoder == nil { _ = encoder.update(runners, left: [], serverTime: serverTime) }
            picture.encoder = encoder
            made = Delivery(
                topic: area.topic, binary: encoder.snapshot(serverTime: serverTime), lane: .conflating)
        }
        picture.snapshot = (made, serverTime)
        places[area]?.pictures[look] = picture
        return made
    }

    /// A snapshot also tells the time.
    static func isFresh(_ madeAt: Timestamp, _ now: Timestamp) -> Bool {
        (0..<Int64(Hub.tickInterval.nanoseconds / 1_000_000)).contains(now.milliseconds - madeAt.milliseconds)
    }

    /// Not at the next tick but now: a runner is not to be seen by `tier` any more.
    mutating func hide(
        _ id: Int64, from tier: Tier, live: [Int64: LiveSession], serverTime: Timestamp
    ) -> [Publication] {
        (areasOf[id] ?? []).flatMap { area in
            publish(
                area, looks: { $0.tier == tier }, live: live, serverTime: serverTime,
                runners: { _ in [] }, left: { _ in [.init(session: id, reason: .hidden)] })
        }
    }

    /// Something has changed that is not due to be told yet.
    var isWaiting: Bool { !changedAreas.isEmpty }

    /// Between two times that the viewers of an area are told; nil at every tick. On a wide view a runner takes seconds to
    /// cross a point of the screen.
    private static func interval(of area: Area) -> Duration? {
        guard case .cell(let cell) = area else { return nil }
        return switch cell.zoom {
        case ...11: .seconds(2)
        case ...13: .seconds(1)
        default: nil
        }
    }

    /// What has changed, for everybody who looks and is due to be told.
    /// - Parameter now: Monotonic nanoseconds.
    mutating func tick(live: [Int64: LiveSession], serverTime: Timestamp, now: UInt64) -> [Publication] {
        var publications: [Publication] = []
        for area in changedAreas {
            publications += tell(\.full, .full, of: area, every: Self.interval(of: area), live, serverTime, now)
            if places[area]?.slow != nil {
                publications += tell(\.slowNews, .slow, of: area, every: Self.slowInterval, live, serverTime, now)
            }
            if places[area]?.isUntold != true { changedAreas.remove(area) }
            forgetIdle(area)
        }
        return publications
    }

    private mutating func tell(
        _ news: WritableKeyPath<Place, News>, _ pace: Pace, of area: Area, every interval: Duration?,
        _ live: [Int64: LiveSession], _ serverTime: Timestamp, _ now: UInt64
    ) -> [Publication] {
        // Timers are not exact: half a tick early is as good as late.
        let early = Hub.tickInterval.nanoseconds / 2
        guard let place = places[area], !place[keyPath: news].isEmpty else { return [] }
        let told = place[keyPath: news]
        if let interval, now &- told.toldAt &+ early < interval.nanoseconds { return [] }
        places[area]?[keyPath: news] = News(toldAt: now)
        return publish(
            area, looks: { $0.pace == pace }, live: live, serverTime: serverTime,
            runners: { tier in
                told.changed.compactMap { id in
                    guard let session = live[id], session.isVisible(to: tier), session.state != .finished else {
                        return nil
                    }
                    return session.runner
                }
            },
            left: { tier in Self.left(told.left, of: place.runners, tier: tier, live: live) })
    }

    /// One entry a session, with the zone it is in now; none for one that came back before the tick.
    private static func left(
        _ entries: [(entry: ZoneUpdate.Left, tiers: Set<Tier>)], of present: Set<Int64>, tier: Tier,
        live: [Int64: LiveSession]
    ) -> [ZoneUpdate.Left] {
        var left: [Int64: ZoneUpdate.Left] = [:]
        for (entry, tiers) in entries where tiers.contains(tier) {
            var entry = entry
            if let session = live[entry.session], session.isVisible(to: tier) {
                if present.contains(entry.session) { continue }
                entry.to = session.fix?.zone
            }
            left[entry.session] = entry
        }
        return left.values.sorted { $0.session < $1.session }
    }

    private mutating func publish(
        _ area: Area, looks: (Look) -> Bool, live: [Int64: LiveSession], serverTime: Timestamp,
        runners: (Tier) -> [Runner], left: (Tier) -> [ZoneUpdate.Left]
    ) -> [Publication] {
        var publications: [Publication] = []
        for (look, picture) in places[area]?.pictures ?? [:] where looks(look) {
            let (runners, left) = (runners(look.tier), left(look.tier))
            guard !runners.isEmpty || !left.isEmpty else { continue }
            switch crowd(of: area, as: look, live: live, serverTime: serverTime) {
            case .none: break
            case .same: continue
            case .told(let delivery):
                publications.append((delivery, picture.viewers))
                continue
            }
            places[area]?.pictures[look]?.snapshot = nil
            let delivery: Delivery
            switch look.encoding {
            case .json:
                // A leave must arrive: a skipped one would be made good by the next snapshot, so it may conflate as well.
                let update = ZoneUpdate(serverTime: serverTime, runners: runners, left: left)
                delivery = Delivery(topic: area.topic, json: Hub.json(area.topic, update), lane: .conflating)
            case .binary:
                guard
                    let frame = places[area]?.pictures[look]?.encoder?
                        .update(runners, left: left, serverTime: serverTime)
                else { continue }
                delivery = Delivery(topic: area.topic, binary: frame, lane: .conflating)
            }
            publications.append((delivery, picture.viewers))
        }
        return publications
    }
}

extension Cell {
    /// The finest level's cell at a position on the wire; nil for one that is none.
    init?(at position: LatLon) {
        guard let point = try? GeoPoint(latitude: position.latitude, longitude: position.longitude),
            let zoom = Viewport.levels.last
        else { return nil }
        self.init(containing: point, zoom: zoom)
    }
}
