import Bus
import HubCore
import Wire

/// Questions and messages of other nodes about sessions.
extension SessionFeed {
    /// Begins to exchange sessions with the other nodes.
    func joinNodes(_ link: NodeLink, _ backing: any NodeStorage) throws {
        let nodes = SessionNodes(link: link, backing: backing)
        self.nodes = nodes
        nodes.questions = try listen(to: NodeSubjects.questions.map { .init($0) }) { $0.receiveQuestion($1) }
    }

    package func leftNodes() {
        guard let nodes else { return }
        self.nodes = nil
        let followed =
            nodes.listening.values.compactMap(\.subscription) + nodes.watches.values.compactMap(\.subscription)
        for subscription in followed + [nodes.questions].compactMap(\.self) { subscription.cancel() }
    }

    /// Takes a message about sessions from the control subject.
    func receive(_ message: NodeMessage, from node: NodeID) {
        switch message {
        case .session(let state): take(state, from: node)
        case .interest(let interest): note(interest, of: node)
        case .link(let link, let session): endLinks(of: session, reason: .linkRevoked) { $0.linkID == link }
        default: break
        }
    }

    private func receiveQuestion(_ event: BusEvent) {
        guard let nodes, case .message(let message) = event, message.request != nil else { return }
        let answer: NodeMessage
        switch read(message) {
        case .askOwned(let after): answer = .ownedSessions(ownedSessions(after: after))
        case .askRunners(let cells, let node, let after):
            guard node == nil || node == nodes.bus.node.id else {
                answer = .runners(NodeRunners(asOf: 0, entries: [], next: 0))
                break
            }
            answer = .runners(runners(in: cells, after: after))
        case .askRoute(let id): answer = .route(route(of: id, for: message.node))
        default: return
        }
        nodes.link.answer(message, with: answer.encoded)
    }
}
