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

    /// An area as one kind of viewers see it.
    final class Picture {
        var viewers = SubscriberSet()
        /// What was told last instead of runners, while there is a crowd.
        private(set) var counts: [CountsFrame.Record]?
        /// For binary pictures.
        var encoder: PositionEncoder?
        /// Shared by those who come soon after each other.
        var snapshot: (delivery: Delivery, madeAt: Timestamp)?

        func become(_ counts: [CountsFrame.Record], told delivery: Delivery, at time: Timestamp) {
            (self.counts, encoder, snapshot) = (counts, nil, (delivery, time))
        }

        func becomeRunners() { (counts, encoder, snapshot) = (nil, nil, nil) }
    }

    /// What those of one pace are to be told.
    struct News {
        var changed: Set<Int64> = []
        var left: [(entry: ZoneUpdate.Left, tiers: Set<Tier>)] = []
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
        var pictures: [Look: Picture] = [:]
        /// It is among those that the next tick looks at.
        var isListed = false

        init(_ area: Area) { self.area = area }

        /// Nobody is there and nobody looks.
        var isIdle: Bool { runners.isEmpty && pictures.isEmpty && full.left.isEmpty }

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

        func leave(_ id: Int64, _ entry: ZoneUpdate.Left, _ tiers: Set<Tier>) {
            runners.remove(id)
            full.changed.remove(id)
            slow?.changed.remove(id)
            guard !tiers.isEmpty else { return }
            full.left.append((entry, tiers))
            slow?.left.append((entry, tiers))
        }

        /// That a session has left is still to be told.
        func isTold(of id: Int64) -> Bool {
            full.left.contains { $0.entry.session == id } || slow?.left.contains { $0.entry.session == id } == true
        }

        /// How a subscriber looks at it; nil when it does not. O(looks).
        func look(of subscriber: any Subscriber) -> Look? {
            pictures.first { $0.value.viewers.contains(subscriber) }?.key
        }
    }

    private(set) var places: [Area: Place] = [:]
    private var placesOf: [Int64: [Place]] = [:]
    /// With something to tell, now or later.
    private var changed: [Place] = []
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
        let before = placesOf[id] ?? []
        let now = session.fix.map { places(of: $0) } ?? []
        for place in before where !now.contains(where: { $0 === place }) {
            leave(session, place, reason: .zone, to: session.fix?.zone)
        }
        for place in now where !before.contains(where: { $0 === place }) { place.runners.insert(id) }
        placesOf[id] = now.isEmpty ? nil : now
        touch(id, in: now)
    }

    /// Something about a runner is new.
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

    /// A session is over.
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

    /// That of an area, which begins here.
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
        place.leave(id, .init(session: id, reason: reason, to: zone), tiers)
        if !tiers.isEmpty { list(place) }
        forgetIdle(place)
    }

    private mutating func forgetIdle(_ place: Place) {
        // Another may have begun since it was closed.
        if place.isIdle, places[place.area] === place { places[place.area] = nil }
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
    func look(of subscriber: any Subscriber, at area: Area) -> Look? { places[area]?.look(of: subscriber) }

    /// A subscriber looks at an area from now on, in one way only. O(runners) for the first one in a cell.
    mutating func watch(
        _ area: Area, by subscriber: any Subscriber, as look: Look, live: [Int64: LiveSession]
    ) {
        unwatch(area, by: subscriber)
        if case .cell(let cell) = area, places[area] == nil { open(cell, live) }
        let place = place(area)
        let picture = place.pictures[look] ?? Picture()
        place.pictures[look] = picture
        picture.viewers.insert(subscriber)
        if look.pace == .slow, place.slow == nil { place.slow = News() }
    }

    /// A subscriber looks away. Harmless when it did not look.
    mutating func unwatch(_ area: Area, by subscriber: any Subscriber) {
        guard let place = places[area], let look = place.look(of: subscriber), let picture = place.pictures[look] else {
            return
        }
        picture.viewers.remove(subscriber)
        guard picture.viewers.isEmpty else { return }
        place.pictures[look] = nil
        if look.pace == .slow, !place.pictures.keys.contains(where: { $0.pace == .slow }) { place.slow = nil }
        if case .cell(let cell) = area, place.pictures.isEmpty { close(cell, place) }
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
        // The next tick, which may have it in its list, has nothing to tell of it.
        (place.runners, place.full, place.slow) = ([], News(), nil)
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
    func snapshot(
        of area: Area, as look: Look, live: [Int64: LiveSession], serverTime: Timestamp
    ) -> Delivery? {
        guard let place = places[area], let picture = place.pictures[look] else { return nil }
        if let crowd = crowdSnapshot(of: place, picture, look, live: live, serverTime: serverTime) { return crowd }
        return snapshot(of: place, picture, look, live: live, serverTime: serverTime)
    }

    /// Of single runners.
    func snapshot(
        of place: Place, _ picture: Picture, _ look: Look, live: [Int64: LiveSession], serverTime: Timestamp
    ) -> Delivery {
        if let made = picture.snapshot, Self.isFresh(made.madeAt, serverTime) { return made.delivery }
        let area = place.area
        let made: Delivery
        switch look.encoding {
        case .json:
            let runners = visible(in: area, to: look.tier, live: live).compactMap(\.runner)
            var update = ZoneUpdate(serverTime: serverTime, runners: runners, left: [])
            update.full = true
            made = Delivery(topic: area.topic, json: Hub.json(area.topic, update), lane: .conflating)
        case .binary:
            // Whoever looked before knows them already, as of the last tick.
            if picture.encoder == nil {
                var encoder = PositionEncoder(picture: area.picture, grid: area.grid)
                let runners = visible(in: area, to: look.tier, live: live).compactMap(\.runner)
                _ = encoder.update(runners, left: [], serverTime: serverTime)
                picture.encoder = encoder
            }
            let frame = picture.encoder?.snapshot(serverTime: serverTime) ?? []
            made = Delivery(topic: area.topic, binary: frame, lane: .conflating)
        }
        picture.snapshot = (made, serverTime)
        return made
    }

    /// A snapshot also tells the time.
    static func isFresh(_ madeAt: Timestamp, _ now: Timestamp) -> Bool {
        (0..<Int64(Hub.tickInterval.nanoseconds / 1_000_000)).contains(now.milliseconds - madeAt.milliseconds)
    }

    /// Not at the next tick but now: a runner is not to be seen by `tier` any more, nor where it has just been.
    func hide(
        _ id: Int64, from tier: Tier, live: [Int64: LiveSession], serverTime: Timestamp
    ) -> [Publication] {
        let here = placesOf[id] ?? []
        let left = changed.filter { place in place.isTold(of: id) && !here.contains { $0 === place } }
        return (here + left).flatMap { place in
            publish(
                place, looks: { $0.tier == tier }, live: live, serverTime: serverTime,
                runners: { _ in [] }, left: { _ in [.init(session: id, reason: .hidden)] })
        }
    }

    /// Something has changed that is not due to be told yet.
    var isWaiting: Bool { !changed.isEmpty }

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
        let listed = changed
        changed.removeAll(keepingCapacity: true)
        for place in listed {
            publications += tell(\.full, .full, of: place, every: Self.interval(of: place.area), live, serverTime, now)
            if place.slow != nil {
                publications += tell(\.slowNews, .slow, of: place, every: Self.slowInterval, live, serverTime, now)
            }
            place.isListed = false
            if place.isUntold { list(place) }
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
            place, looks: { $0.pace == pace }, live: live, serverTime: serverTime,
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
            } else {
                entry.to = nil
            }
            left[entry.session] = entry
        }
        return left.values.sorted { $0.session < $1.session }
    }

    private func publish(
        _ place: Place, looks: (Look) -> Bool, live: [Int64: LiveSession], serverTime: Timestamp,
        runners: (Tier) -> [Runner], left: (Tier) -> [ZoneUpdate.Left]
    ) -> [Publication] {
        var publications: [Publication] = []
        let area = place.area
        for (look, picture) in place.pictures where looks(look) {
            let (runners, left) = (runners(look.tier), left(look.tier))
            guard !runners.isEmpty || !left.isEmpty else { continue }
            switch crowd(of: place, picture, look, live: live, serverTime: serverTime) {
            case .none: break
            case .same: continue
            case .told(let delivery):
                publications.append((delivery, picture.viewers))
                continue
            }
            picture.snapshot = nil
            let delivery: Delivery
            switch look.encoding {
            case .json:
                // A leave must arrive: a skipped one would be made good by the next snapshot, so it may conflate as well.
                let update = ZoneUpdate(serverTime: serverTime, runners: runners, left: left)
                delivery = Delivery(topic: area.topic, json: Hub.json(area.topic, update), lane: .conflating)
            case .binary:
                guard let frame = picture.encoder?.update(runners, left: left, serverTime: serverTime) else { continue }
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
