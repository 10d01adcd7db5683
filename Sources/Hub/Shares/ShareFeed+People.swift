import Campus
import EventLoop
import HubCore
import Wire

/// The topics `people/<x>/<y>`: people who share with everyone on campus, by cells of the map. Each cell is published once a second,
/// and encoded once for all viewers that have no block with a person in it.
extension ShareFeed {
    /// Subscribes an account's connection to a cell.
    /// - Throws: ``Wire/RPCError`` when the connection has too many topics.
    public func subscribe(
        _ subscriber: any Subscriber, toPeople cell: Cell, as account: Int64, reply: @Sendable (PeopleUpdate) -> [UInt8]
    ) throws {
        let topic = Topic.people(cell)
        let count = core.subscriptions.topics(of: subscriber.subscriberID).count { $0.kind == .people }
        guard count < ShareLimits.peopleCellsMax || core.subscriptions.contains(topic, of: subscriber.subscriberID)
        else {
            throw RPCError(
                .rateLimited,
                "a connection may view \(ShareLimits.peopleCellsMax) cells of people: unsubscribe from one first")
        }
        guard registry.people.count < ShareLimits.peopleCellsHereMax || registry.people[cell] != nil else {
            throw RPCError(
                .rateLimited, "too many cells of people are viewed on this server now: try again in a minute")
        }
        try core.remember(topic, of: subscriber)
        core.accounts.note(subscriber, as: account)
        let peopleCell = registry.people[cell] ?? PeopleCell()
        let isNew = registry.people.updateValue(peopleCell, forKey: cell) == nil
        if isNew { follow(cell, peopleCell) }
        // The cell keeps its rhythm: a new viewer does not cause an early publication.
        let next = peopleCell.lastTick.map { $0 &+ Self.sweepInterval.nanoseconds }
        if link?.isInDoubt != true, next.map({ monotonic() >= $0 }) ?? true { tick(cell, peopleCell) }
        let viewer = PeopleCell.CellViewer(
            subscriber: subscriber, account: account, isApart: isApart(account, peopleCell))
        peopleCell.insert(viewer)
        let shown = publishable(peopleCell, to: viewer)
        log(shown.people, by: [account])
        send(
            reply(PeopleUpdate(serverTime: serverTime, people: shown.people, more: shown.more, full: true)),
            topic: topic, to: subscriber)
        scheduleSweep()
    }

    func leavePeople(_ cell: Cell, _ subscriber: any Subscriber) {
        guard let peopleCell = registry.people[cell] else { return }
        peopleCell.remove(subscriber)
        guard peopleCell.viewers.isEmpty else { return }
        peopleCell.subscription?.cancel()
        registry.people[cell] = nil
    }

    /// Sends the whole cell to a connection whose pushes were skipped.
    func refreshPeople(_ cell: Cell, _ subscriber: any Subscriber) {
        guard let peopleCell = registry.people[cell], let viewer = peopleCell.viewers[subscriber.subscriberID] else {
            return
        }
        send(publishable(peopleCell, to: viewer), of: cell, to: viewer)
    }

    /// The published people of a cell as far as they may be sent to a viewer now; the rest follows with the next publication.
    private func publishable(_ peopleCell: PeopleCell, to viewer: PeopleCell.CellViewer) -> PeopleCell.Rendition {
        let id = viewer.subscriber.subscriberID
        guard link?.isInDoubt != true else {
            peopleCell.mustPublish.insert(id)
            return .init()
        }
        let shown = published(peopleCell, to: viewer)
        let people = shown.people.filter(isShown)
        if people.count < shown.people.count { peopleCell.mustPublish.insert(id) }
        return .init(people: people, more: shown.more)
    }

    private func published(_ peopleCell: PeopleCell, to viewer: PeopleCell.CellViewer) -> PeopleCell.Rendition {
        guard viewer.isApart else { return peopleCell.publishedCommon }
        if let published = peopleCell.publishedPrivate[viewer.account] { return published }
        let own = rendition(peopleCell.all, for: viewer.account)
        peopleCell.publishedPrivate[viewer.account] = own
        return own
    }

    private func send(_ shown: PeopleCell.Rendition, of cell: Cell, to viewer: PeopleCell.CellViewer) {
        let topic = Topic.people(cell)
        log(shown.people, by: [viewer.account])
        let update = PeopleUpdate(serverTime: serverTime, people: shown.people, more: shown.more, full: true)
        send(Self.json(topic, update), topic: topic, to: viewer.subscriber, lane: .conflating)
    }

    // MARK: Cells

    /// Everyone in a cell, and the number of further people that other nodes did not name.
    private func rendition(of cell: Cell, _ peopleCell: PeopleCell?) -> PeopleCell.Rendition {
        let here = (registry.onMap[cell] ?? []).compactMap { registry.shares[$0].flatMap(person) }
        var all = Dictionary(here.map { ($0.share, $0) }) { first, _ in first }
        var more = 0
        if link?.isInDoubt != true {
            for other in peopleCell?.others.values ?? [:].values {
                more += other.more
                for person in other.people where isShown(person) {
                    let known = all[person.share]
                    if known.map({ $0.location.at < person.location.at }) ?? true { all[person.share] = person }
                }
            }
        }
        return .init(people: all.values.sorted { $0.share < $1.share }, more: more)
    }

    /// The people in a cell according to this node's locations.
    func peopleHere(in cell: Cell) -> PeopleCell.Rendition { Self.cut(rendition(of: cell, nil)) }

    private func person(_ live: LiveShare) -> PersonOnMap? {
        guard !live.isWithheld, live.share.expiresAt > serverTime, let own = live.own, let location = own.location,
            own.state == .live || own.state == .old
        else { return nil }
        return PersonOnMap(
            share: live.share.id, person: live.share.sharer, precision: live.share.precision, state: own.state,
            location: location)
    }

    /// Whether the person's share still holds, as far as this node knows.
    private func isShown(_ person: PersonOnMap) -> Bool {
        guard !registry.ended.contains(person.share) else { return false }
        guard let live = registry.shares[person.share] else { return true }
        return !live.isWithheld && live.share.expiresAt > serverTime
    }

    private func isApart(_ account: Int64, _ peopleCell: PeopleCell) -> Bool {
        !blocks[account].isDisjoint(with: peopleCell.accounts)
    }

    private func rendition(_ all: PeopleCell.Rendition, for account: Int64) -> PeopleCell.Rendition {
        let others = blocks[account]
        return Self.cut(.init(people: all.people.filter { !others.contains($0.person.account) }, more: all.more))
    }

    private static func cut(_ all: PeopleCell.Rendition) -> PeopleCell.Rendition {
        let people = Array(all.people.prefix(ShareLimits.peoplePerCellMax))
        return .init(people: people, more: all.more + all.people.count - people.count)
    }

    // MARK: Publishing

    /// Publishes the changes in each cell that is viewed at this node or at others.
    func tickPeople() {
        guard link?.isHolding != true else { return }
        for (cell, peopleCell) in registry.people { tick(cell, peopleCell) }
        for cell in registry.peopleLeases.keys { sendPeople(cell) }
        registry.peopleSent = registry.peopleSent.filter { registry.peopleLeases[$0.key] != nil }
    }

    /// Publishes the changes at once in the cells that these accounts view.
    func tickPeople(of accounts: Set<Int64>) {
        for (cell, peopleCell) in registry.people where accounts.contains(where: { peopleCell.connections[$0] != nil })
        {
            tick(cell, peopleCell)
        }
    }

    /// Publishes the changes at once in the cells that show a matching person. O(people in viewed cells).
    func tickPeople(with isMeant: (PersonOnMap) -> Bool) {
        for (cell, peopleCell) in registry.people where peopleCell.all.people.contains(where: isMeant) {
            for viewer in peopleCell.viewers.values {
                let loop = viewer.subscriber.subscriberLoop
                registry.drained[ObjectIdentifier(loop)] = loop
            }
            tick(cell, peopleCell)
        }
    }

    /// Withdraws matching people from all cells at once. O(people in viewed cells).
    func takeOffMap(_ isVoid: (PersonOnMap) -> Bool) {
        for peopleCell in registry.people.values {
            for node in peopleCell.others.keys { peopleCell.others[node]?.people.removeAll(where: isVoid) }
        }
        tickPeople(with: isVoid)
    }

    private func tick(_ cell: Cell, _ peopleCell: PeopleCell) {
        let all = rendition(of: cell, peopleCell)
        (peopleCell.all, peopleCell.lastTick) = (all, monotonic())
        peopleCell.accounts = Set(all.people.map(\.person.account))
        var joining = peopleCell.mustPublish
        peopleCell.mustPublish = []
        for (id, viewer) in peopleCell.viewers {
            let isApart = isApart(viewer.account, peopleCell)
            guard isApart != viewer.isApart else { continue }
            peopleCell.set(id, isApart: isApart)
            joining.insert(id)
        }
        publishPeople(Self.cut(all), to: peopleCell, at: cell)
        var isOther: [Int64: Bool] = [:]
        for id in peopleCell.apart {
            guard let account = peopleCell.viewers[id]?.account else { continue }
            if isOther[account] == nil {
                let own = rendition(all, for: account)
                isOther[account] = peopleCell.publishedPrivate.updateValue(own, forKey: account) != own
            }
            if isOther[account] == true { joining.insert(id) }
        }
        for viewer in joining.compactMap({ peopleCell.viewers[$0] }) {
            send(published(peopleCell, to: viewer), of: cell, to: viewer)
            if !viewer.isApart { peopleCell.together.insert(viewer.subscriber) }
        }
    }

    private func publishPeople(_ shown: PeopleCell.Rendition, to peopleCell: PeopleCell, at cell: Cell) {
        let before = Dictionary(peopleCell.publishedCommon.people.map { ($0.share, $0) }) { first, _ in first }
        let now = Set(shown.people.map(\.share))
        let changed = shown.people.filter { before[$0.share] != $0 }
        let left = peopleCell.publishedCommon.people.map(\.share).filter { !now.contains($0) }
        guard !changed.isEmpty || !left.isEmpty || shown.more != peopleCell.publishedCommon.more else { return }
        peopleCell.publishedCommon = shown
        guard !peopleCell.together.isEmpty else { return }
        let new = changed.filter { before[$0.share]?.precision != $0.precision }
        if !new.isEmpty { log(new, by: peopleCell.viewers.values.filter { !$0.isApart }.map(\.account)) }
        let topic = Topic.people(cell)
        let update = PeopleUpdate(serverTime: serverTime, people: changed, left: left, more: shown.more)
        publish(
            Delivery(topic: topic, json: Self.json(topic, update), lane: .conflating), to: peopleCell.together)
    }

    /// Logs the accounts to which people were sent; the entries are written within a second.
    private func log(_ people: [PersonOnMap], by accounts: [Int64]) {
        for person in people { registry.log(person, receivedBy: accounts, at: serverTime) }
    }
}
