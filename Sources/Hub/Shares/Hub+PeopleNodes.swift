import Bus
import Campus
import EventLoop
import Wire

/// `people/<x>/<y>` between nodes: a node tells which cells are looked at there, and the others tell it whom they have in these.
extension Hub {
    func follow(_ cell: Cell, _ place: PeopleCell) {
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
        let shown = peopleHere(in: cell)
        let sent = board.peopleSent[cell]
        let now = monotonic()
        let again = (sent?.at ?? 0) &+ Duration.nanoseconds(ofSeconds: ShareLimits.leaseSeconds)
        // Of nobody there is nothing to say twice.
        let isSaid = sent?.people.isEmpty == true && shown.people.isEmpty
        guard isDue || (now >= again && !isSaid) || sent?.people != shown.people else { return }
        board.peopleSent[cell] = (shown.people, now)
        tellShares(.people(shown.people, more: shown.more), HubNodes.Subjects.people(cell))
    }

    /// Tells the nodes that look at an account now how it stands with it.
    func sendPeople(with account: Int64) {
        for (cell, sent) in board.peopleSent where sent.people.contains(where: { $0.person.account == account }) {
            sendPeople(cell, isDue: true)
        }
    }
}
