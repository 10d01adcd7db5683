import Bus
import Campus
import EventLoop
import HubCore
import Wire

/// The topics `people/<x>/<y>` between nodes: a node announces the cells that are viewed there, and the other nodes send it their
/// people.
extension ShareFeed {
    func follow(_ cell: Cell, _ peopleCell: PeopleCell) {
        guard let link else { return }
        do {
            peopleCell.subscription = try listen(to: NodeSubjects.people(cell).map { .init($0) }) {
                feed, event in
                switch event {
                case .live: feed.shareViewersMoved()
                case .missed: break
                case .message(let message):
                    guard let peopleCell = feed.registry.people[cell], case .shares(let bytes)? = feed.read(message),
                        case .people(let people, let more)? = try? WireJSON.decode(ShareMessage.self, from: bytes)
                    else { return }
                    peopleCell.others[message.node] = (people, more, feed.monotonic())
                }
            }
        } catch {
            link.logger.error("people cannot be followed", metadata: ["error": "\(error)"])
        }
    }

    /// Sends this node's people in a cell to the nodes that view the cell.
    func sendPeople(_ cell: Cell, isDue: Bool = false) {
        let shown = peopleHere(in: cell)
        let sent = registry.peopleSent[cell]
        let now = monotonic()
        let again = (sent?.at ?? 0) &+ Duration.nanoseconds(ofSeconds: ShareLimits.leaseSeconds)
        // An empty cell need not be sent twice.
        let isAlreadySent = sent?.people.isEmpty == true && shown.people.isEmpty
        guard isDue || (now >= again && !isAlreadySent) || sent?.people != shown.people else { return }
        registry.peopleSent[cell] = (shown.people, now)
        publishToNodes(.people(shown.people, more: shown.more), NodeSubjects.people(cell))
    }

    /// Sends the cells that contain an account's person to the nodes that view them.
    func sendPeople(with account: Int64) {
        for (cell, sent) in registry.peopleSent where sent.people.contains(where: { $0.person.account == account }) {
            sendPeople(cell, isDue: true)
        }
    }
}
