import Bus
import HubCore
import Wire

/// Messages between the feeds of several nodes.
extension Feed {
    /// Publishes a message to all other nodes, or to the subscribers of a subject.
    func publishToNodes(_ message: NodeMessage, on subject: Subject? = NodeSubjects.control) {
        link?.publish(message.encoded, on: subject)
    }

    /// Sends a question to all other nodes.
    func ask(_ question: NodeMessage) async -> BusReplies {
        let answers = await core.ask(question.encoded, of: NodeSubjects.questions)
        return answers ?? BusReplies(messages: [], silent: link?.others ?? [])
    }

    /// Decodes a message of another node. Logs an error and returns nil for bytes that no node of this version writes.
    func read(_ message: BusMessage) -> NodeMessage? {
        do {
            return try NodeMessage(decoding: message.bytes)
        } catch {
            core.metrics.unreadable.add()
            link?.logger.error(
                "a node's message cannot be decoded: do all nodes run the same version?",
                metadata: ["other-run": "\(message.node)", "error": "\(error)"])
            return nil
        }
    }
}
