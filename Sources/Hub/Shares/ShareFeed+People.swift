import Campus
import EventLoop
import HubCore
import Wire

/// The topics `people/<x>/<y>`: people who share with everyone on campus, by cells of the map. Each cell is published once a second,
/// and encoded once for all viewers that have no block with a person in it.
extension ShareFeed {
    /// Subscribes an account's connection to a cell.
    /// - Throws: ``Wire/RPCError`` when the connection has too many topics.
    public func look(
        _ subscriber: any Subscriber, atPeople cell: Cell, as account: Int64, reply: @Sendable (PeopleUpdate) -> [UInt8]
    ) throws {
        let topic = Topic.people(cell)
        let count = core.subscriptions.topics(of: subscriber.subscriberID).count { $0.kind == .people }
        guard count < ShareLimits.peopleCellsMax || core.subscriptions.contains(topic, of: subscriber.subscriberID)
        else {
            throw RPCError(
                .rateLimited,
                "a connection may view \(ShareLimits.peopleCellsMax) cells of people: unsubscribe from one first")
        }
        guard board.people.count < ShareLimits.peopleCellsHereMax || board.people[cell] != nil else {
            throw RPCError(
                .rateLimited, "too many cells of people are viewed on this server now: try again in a minute")
        }
        try core.remember(topic, of: subscriber)
        core.accounts.note(subscriber, as: account)
        let place = board.people[cell] ?? PeopleCell()
        let isNew = board.people.updateValue(place, forKey: cell) == nil
        if isNew { follow(cell, place) }
        // The cell keeps its rhythm: a new viewer does not cause an early publication.
        let next = place.turn.map { $0 &+ Self.sweepInterval.nanoseconds }
        if link?.isInDoubt != true, next.map({ monotonic() >= $0 }) ?? true { tick(cell, place) }
        let looker = PeopleCell.Looker(subscriber: subscriber, account: account, isApart: isApart(account, place))
        place.insert(looker)
        let shown = publishable(place, to: looker)
        note(shown.people, by: [account])
        send(
            reply(PeopleUpdate(serverTime: serverTime, people: shown.people, more: shown.more, full: true)),
            topic: topic, to: subscriber)
        scheduleSweep()
    }

    func leavePeople(_ cell: Cell, _ subscriber: any Subscriber) {
        guard let place = board.people[cell] else { return }
        place.remove(subscriber)
        guard place.lookers.isEmpty else { return }
        place.subscription?.cancel()
        board.people[cell] = nil
    }

    /// Sends the whole cell to a connection whose pushes were skipped.
    func refreshPeople(_ cell: Cell, _ subscriber: any Subscriber) {
        guard let place = board.people[cell], let looker = place.lookers[subscriber.subscriberID] else { return }
        send(publishable(place, to: looker), of: cell, to: looker)
    }

    /// The published people of a cell as far as they may be sent to a viewer now; the rest follows with the next publication.
    private func publishable(_ place: PeopleCell, to looker: PeopleCell.Looker) -> PeopleCell.Rendition {
        let id = looker.subscriber.subscriberID
        guard link?.isInDoubt != true else {
            place.mustPublish.insert(id)
            return .init()
        }
        let shown = told(place, to: looker)
        let people = shown.people.filter(isShown)
        if people.count < shown.people.count { place.mustPublish.insert(id) }
        return .init(people: people, more: shown.more)
    }

    private func told(_ place: PeopleCell, to looker: PeopleCell.Looker) -> PeopleCell.Rendition {
        guard looker.isApart else { return place.told }
        if let told = place.publishedPrivate[looker.account] { return told }
        let own = picture(place.all, for: looker.account)
        place.publishedPrivate[looker.account] = own
        return own
    }

    private func send(_ shown: PeopleCell.Rendition, of cell: Cell, to looker: PeopleCell.Looker) {
        let topic = Topic.people(cell)
        note(shown.people, by: [looker.account])
        let update = PeopleUpdate(serverTime: serverTime, people: shown.people, more: shown.more, full: true)
        send(Self.json(topic, update), topic: topic, to: looker.subscriber, lane: .conflating)
    }

    // MARK: Cells

    /// Everyone in a cell, and the number of further people that other nodes did not name.
    private func picture(of cell: Cell, _ place: PeopleCell?) -> PeopleCell.Rendition {
        let here = (board.onMap[cell] ?? []).compactMap { board.shares[$0].flatMap(person) }
        var all = Dictionary(here.map { ($0.share, $0) }) { first, _ in first }
        var more = 0
        if link?.isInDoubt != true {
            for other in place?.others.values ?? [:].values {
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
    func peopleHere(in cell: Cell) -> PeopleCell.Rendition { Self.cut(picture(of: cell, nil)) }

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
        guard !board.ended.contains(person.share) else { return false }
        guard let live = board.shares[person.share] else { return true }
        return !live.isWithheld && live.share.expiresAt > serverTime
    }

    private func isApart(_ account: Int64, _ place: PeopleCell) -> Bool {
        !blocks[account].isDisjoint(with: place.accounts)
    }

    private func picture(_ all: PeopleCell.Rendition, for account: Int64) -> PeopleCell.Rendition {
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
        for (cell, place) in board.people { tick(cell, place) }
        for cell in board.peopleLeases.keys { sendPeople(cell) }
        board.peopleSent = board.peopleSent.filter { board.peopleLeases[$0.key] != nil }
    }

    /// Publishes the changes at once in the cells that these accounts view.
    func tickPeople(of accounts: Set<Int64>) {
        for (cell, place) in board.people where accounts.contains(where: { place.connections[$0] != nil }) {
            tick(cell, place)
        }
    }

    /// Publishes the changes at once in the cells that show a matching person. O(people in viewed cells).
    func tickPeople(with isMeant: (PersonOnMap) -> Bool) {
        for (cell, place) in board.people where place.all.people.contains(where: isMeant) {
            for looker in place.lookers.values {
                let loop = looker.subscriber.subscriberLoop
                board.drained[ObjectIdentifier(loop)] = loop
            }
            tick(cell, place)
        }
    }

    /// Withdraws matching people from all cells at once. O(people in viewed cells).
    func takeOffMap(_ isVoid: (PersonOnMap) -> Bool) {
        for place in board.people.values {
            for node in place.others.keys { place.others[node]?.people.removeAll(where: isVoid) }
        }
        tickPeople(with: isVoid)
    }

    private func tick(_ cell: Cell, _ place: PeopleCell) {
        let all = picture(of: cell, place)
        (place.all, place.turn) = (all, monotonic())
        place.accounts = Set(all.people.map(\.person.account))
        var joining = place.mustPublish
        place.mustPublish = []
        for (id, looker) in place.lookers {
            let isApart = isApart(looker.account, place)
            guard isApart != looker.isApart else { continue }
            place.set(id, isApart: isApart)
            joining.insert(id)
        }
        publishPeople(Self.cut(all), to: place, at: cell)
        var isOther: [Int64: Bool] = [:]
        for id in place.apart {
            guard let account = place.lookers[id]?.account else { continue }
            if isOther[account] == nil {
                let own = picture(all, for: account)
                isOther[account] = place.publishedPrivate.updateValue(own, forKey: account) != own
            }
            if isOther[account] == true { joining.insert(id) }
        }
        for looker in joining.compactMap({ place.lookers[$0] }) {
            send(told(place, to: looker), of: cell, to: looker)
            if !looker.isApart { place.together.insert(looker.subscriber) }
        }
    }

    private func publishPeople(_ shown: PeopleCell.Rendition, to place: PeopleCell, at cell: Cell) {
        let before = Dictionary(place.told.people.map { ($0.share, $0) }) { first, _ in first }
        let now = Set(shown.people.map(\.share))
        let changed = shown.people.filter { before[$0.share] != $0 }
        let left = place.told.people.map(\.share).filter { !now.contains($0) }
        guard !changed.isEmpty || !left.isEmpty || shown.more != place.told.more else { return }
        place.told = shown
        guard !place.together.isEmpty else { return }
        let new = changed.filter { before[$0.share]?.precision != $0.precision }
        if !new.isEmpty { note(new, by: place.lookers.values.filter { !$0.isApart }.map(\.account)) }
        let topic = Topic.people(cell)
        let update = PeopleUpdate(serverTime: serverTime, people: changed, left: left, more: shown.more)
        publish(
            Delivery(topic: topic, json: Self.json(topic, update), lane: .conflating), to: place.together)
    }

    /// Logs the accounts to which people were sent; the entries are written within a second.
    private func note(_ people: [PersonOnMap], by accounts: [Int64]) {
        for person in people { board.note(person, gotBy: accounts, at: serverTime) }
    }
}
