import Bus
import Campus
import EventLoop
import Wire

/// Who looks at a part of the map of people, and what they have. On the hub's loop only.
final class PeopleCell {
    struct Looker {
        let subscriber: any Subscriber
        let account: Int64
        /// Gets a picture of its own, without those who are blocked.
        var isApart: Bool
    }

    var lookers: [UInt64: Looker] = [:]
    /// Those who get the picture of all.
    var together = SubscriberSet()
    var told: [PersonOnMap] = []
    var toldMore = 0
    /// What accounts have who get one of their own.
    var toldApart: [Int64: [PersonOnMap]] = [:]
    /// What other nodes tell.
    var others: [NodeID: (people: [PersonOnMap], more: Int, heard: UInt64)] = [:]
    var subscription: BusSubscription?

    /// Shares of other nodes' people.
    var foreign: [Int64] { others.values.flatMap { $0.people.map(\.share) } }
}

/// `people/<x>/<y>`: those who share with everybody on campus, by cells of the map. Once a second, encoded once for all who look and
/// block nobody that is in it.
extension Hub {
    /// An account looks at a cell.
    /// - Throws: ``Wire/RPCError`` when the connection has too many topics.
    public func look(
        _ subscriber: any Subscriber, atPeople cell: Cell, as account: Int64, reply: @Sendable (PeopleUpdate) -> [UInt8]
    ) throws {
        let topic = Topic.people(cell)
        let count = (topicsOf[subscriber.subscriberID] ?? []).count { if case .people = $0 { true } else { false } }
        guard count < ShareLimits.peopleCellsMax || topicsOf[subscriber.subscriberID]?.contains(topic) == true else {
            throw RPCError(
                .rateLimited,
                "a connection may look at \(ShareLimits.peopleCellsMax) cells of people: unsubscribe from one first")
        }
        guard board.people.count < ShareLimits.peopleCellsHereMax || board.people[cell] != nil else {
            throw RPCError(
                .rateLimited, "too many parts of the map of people are looked at now: try again in a minute")
        }
        try remember(topic, of: subscriber)
        signedIn.note(subscriber, as: account)
        let place = board.people[cell] ?? PeopleCell()
        let isNew = board.people.updateValue(place, forKey: cell) == nil
        if isNew { follow(cell, place) }
        tick(cell, place)
        let picture = picture(of: cell, place)
        let isApart = isApart(account, picture.all)
        place.lookers[subscriber.subscriberID] = .init(subscriber: subscriber, account: account, isApart: isApart)
        if !isApart { place.together.insert(subscriber) }
        let shown = isApart ? self.picture(picture, for: account) : (people: place.told, more: place.toldMore)
        if isApart { place.toldApart[account] = shown.people }
        note(shown.people, by: [account])
        send(
            reply(PeopleUpdate(serverTime: serverTime, people: shown.people, more: shown.more, full: true)),
            topic: topic, to: subscriber)
        sweepShares()
    }

    func leavePeople(_ cell: Cell, _ subscriber: any Subscriber) {
        guard let place = board.people[cell] else { return }
        if let looker = place.lookers.removeValue(forKey: subscriber.subscriberID),
            !place.lookers.values.contains(where: { $0.account == looker.account })
        {
            place.toldApart[looker.account] = nil
        }
        place.together.remove(subscriber)
        guard place.lookers.isEmpty else { return }
        place.subscription?.cancel()
        board.people[cell] = nil
    }

    /// A connection that skipped pushes gets all of it.
    func refreshPeople(_ cell: Cell, _ subscriber: any Subscriber) {
        guard let place = board.people[cell], let looker = place.lookers[subscriber.subscriberID] else { return }
        sendAll(cell, place, to: looker)
    }

    private func sendAll(_ cell: Cell, _ place: PeopleCell, to looker: PeopleCell.Looker) {
        let topic = Topic.people(cell)
        let shown =
            looker.isApart
            ? picture(picture(of: cell, place), for: looker.account) : (people: place.told, more: place.toldMore)
        if looker.isApart { place.toldApart[looker.account] = shown.people }
        note(shown.people, by: [looker.account])
        let update = PeopleUpdate(serverTime: serverTime, people: shown.people, more: shown.more, full: true)
        send(Self.json(topic, update), topic: topic, to: looker.subscriber, lane: .conflating)
    }

    // MARK: Pictures

    /// Everybody in a cell, and how many more other nodes have.
    typealias PeoplePicture = (all: [PersonOnMap], more: Int)

    private func picture(of cell: Cell, _ place: PeopleCell?) -> PeoplePicture {
        let here = (board.onMap[cell] ?? []).compactMap { board.shares[$0].flatMap(person) }
        var all = Dictionary(here.map { ($0.share, $0) }) { first, _ in first }
        var more = 0
        guard nodes?.isInDoubt != true else { return (all.values.sorted { $0.share < $1.share }, 0) }
        for other in place?.others.values ?? [:].values {
            more += other.more
            for person in other.people where !board.ended.contains(person.share) {
                let known = all[person.share]
                if known.map({ $0.location.at < person.location.at }) ?? true { all[person.share] = person }
            }
        }
        return (all.values.sorted { $0.share < $1.share }, more)
    }

    private func person(_ live: LiveShare) -> PersonOnMap? {
        guard !live.isWithheld, live.share.expiresAt > serverTime, let own = live.own, let location = own.location,
            own.state == .live || own.state == .old
        else { return nil }
        return PersonOnMap(
            share: live.share.id, person: live.share.sharer, precision: live.share.precision, state: own.state,
            location: location)
    }

    private func isApart(_ account: Int64, _ all: [PersonOnMap]) -> Bool {
        let others = blocks[account]
        return !others.isEmpty && all.contains { others.contains($0.person.account) }
    }

    private func picture(_ picture: PeoplePicture, for account: Int64) -> (people: [PersonOnMap], more: Int) {
        let others = blocks[account]
        return Self.cut((picture.all.filter { !others.contains($0.person.account) }, picture.more))
    }

    private static func cut(_ picture: PeoplePicture) -> (people: [PersonOnMap], more: Int) {
        let people = Array(picture.all.prefix(ShareLimits.peoplePerCellMax))
        return (people, picture.more + picture.all.count - people.count)
    }

    // MARK: Telling

    /// What changed in each cell that somebody looks at, here or at other nodes.
    func tickPeople() {
        guard nodes?.isHolding != true else { return }
        for (cell, place) in board.people { tick(cell, place) }
        for cell in board.peopleLeases.keys { sendPeople(cell) }
        board.peopleSent = board.peopleSent.filter { board.peopleLeases[$0.key] != nil }
    }

    /// The same at once for the cells that these accounts look at.
    func tickPeople(of accounts: Set<Int64>) {
        for (cell, place) in board.people where place.lookers.values.contains(where: { accounts.contains($0.account) })
        {
            tick(cell, place)
        }
    }

    /// What was told of these does not hold any more: whoever has it gets another picture at once. O(people on maps that are looked at).
    func takeOffMap(_ isVoid: (PersonOnMap) -> Bool) {
        for (cell, place) in board.people {
            for node in place.others.keys { place.others[node]?.people.removeAll(where: isVoid) }
            guard
                place.told.contains(where: isVoid)
                    || place.toldApart.values.contains(where: { $0.contains(where: isVoid) })
            else { continue }
            for looker in place.lookers.values {
                let loop = looker.subscriber.subscriberLoop
                board.drained[ObjectIdentifier(loop)] = loop
            }
            tick(cell, place)
        }
    }

    private func tick(_ cell: Cell, _ place: PeopleCell) {
        let all = picture(of: cell, place)
        let shown = Self.cut(all)
        var joining: [PeopleCell.Looker] = []
        for (key, looker) in place.lookers {
            let isApart = isApart(looker.account, all.all)
            guard isApart != looker.isApart else { continue }
            place.lookers[key]?.isApart = isApart
            if isApart { place.together.remove(looker.subscriber) } else { place.toldApart[looker.account] = nil }
            place.lookers[key].map { joining.append($0) }
        }
        tell(shown, to: place, at: cell)
        let toldBefore = place.toldApart
        for looker in place.lookers.values where looker.isApart {
            let own = picture(all, for: looker.account)
            if toldBefore[looker.account] != own.people { joining.append(looker) }
        }
        var done: Set<UInt64> = []
        for looker in joining where done.insert(looker.subscriber.subscriberID).inserted {
            sendAll(cell, place, to: looker)
            if !looker.isApart { place.together.insert(looker.subscriber) }
        }
    }

    private func tell(_ shown: (people: [PersonOnMap], more: Int), to place: PeopleCell, at cell: Cell) {
        let before = Dictionary(place.told.map { ($0.share, $0) }) { first, _ in first }
        let now = Set(shown.people.map(\.share))
        let changed = shown.people.filter { before[$0.share] != $0 }
        let left = place.told.map(\.share).filter { !now.contains($0) }
        guard !changed.isEmpty || !left.isEmpty || shown.more != place.toldMore else { return }
        (place.told, place.toldMore) = shown
        guard !place.together.isEmpty else { return }
        let new = changed.filter { before[$0.share]?.precision != $0.precision }
        if !new.isEmpty { note(new, by: place.lookers.values.filter { !$0.isApart }.map(\.account)) }
        let topic = Topic.people(cell)
        let update = PeopleUpdate(serverTime: serverTime, people: changed, left: left, more: shown.more)
        outbox.publish(
            Delivery(topic: topic, json: Self.json(topic, update), lane: .conflating), to: place.together)
    }

    /// Who got what: written down within a second.
    private func note(_ people: [PersonOnMap], by accounts: [Int64]) {
        for person in people {
            var seen = board.seen[person.share] ?? SeenBy(precision: person.precision)
            if seen.precision != person.precision { seen = SeenBy(precision: person.precision) }
            for account in accounts where account != person.person.account {
                guard seen.accounts.count < ShareLimits.seenKnownMax, seen.accounts.insert(account).inserted else {
                    continue
                }
                if seen.accounts.count <= ShareLimits.seenNamedMax {
                    board.notes.append(
                        SeenShare(
                            share: person.share, account: account, precision: person.precision, at: serverTime))
                } else {
                    board.moreNotes[person.share, default: 0] += 1
                }
            }
            board.seen[person.share] = seen
        }
    }

    // MARK: Other nodes

    private func follow(_ cell: Cell, _ place: PeopleCell) {
        guard let nodes else { return }
        do {
            place.subscription = try listen(to: HubNodes.Subjects.people(cell).map { .init($0) }) {
                hub, event in
                switch event {
                case .live: hub.shareViewersMoved()
                case .missed: break
                case .message(let message):
                    guard let place = hub.board.people[cell], case .shares(let bytes)? = hub.read(message),
                        case .people(let people, let more)? = try? WireJSON.decode(ShareMessage.self, from: bytes)
                    else { return }
                    place.others[message.node] = (people, more, hub.monotonic())
                }
            }
        } catch {
            nodes.logger.error("people cannot be followed", metadata: ["error": "\(error)"])
        }
    }

    /// Tells the nodes where a cell is looked at whom this one has there.
    func sendPeople(_ cell: Cell, isDue: Bool = false) {
        let shown = Self.cut(picture(of: cell, nil))
        let sent = board.peopleSent[cell]
        let now = monotonic()
        let again = (sent?.at ?? 0) &+ Duration.nanoseconds(ofSeconds: ShareLimits.leaseSeconds)
        // Of nobody there is nothing to say twice.
        let isSaid = sent?.people.isEmpty == true && shown.people.isEmpty
        guard isDue || (now >= again && !isSaid) || sent?.people != shown.people else { return }
        board.peopleSent[cell] = (shown.people, now)
        tellShares(.people(shown.people, more: shown.more), HubNodes.Subjects.people(cell))
    }
}
