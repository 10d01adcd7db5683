import Bus
import EventLoop
import Logging

/// The hub's link to the other nodes of its campus: the bus, the nodes that are alive, and whether messages of theirs may be lost.
/// Confined to the hub's loop.
package final class NodeLink: @unchecked Sendable {
    /// Largest time that other nodes have for an answer.
    package static let answerTimeMax = Duration.seconds(1)

    package let bus: any Bus
    package let logger: Logger
    var observation: BusObservation?
    /// Other nodes that are alive.
    package internal(set) var others: Set<NodeID> = []
    /// The connection to the bus is lost.
    package internal(set) var isDisconnected = false

    /// Messages that narrow access may be lost: no state of other nodes is shown until PostgreSQL has been read.
    package internal(set) var isInDoubt = false
    /// Number of times that messages may have been lost. State that was read before the last time is ignored.
    package internal(set) var inDoubtCount = 0
    /// No push is sent while this is true.
    package internal(set) var isHolding = false
    /// Number of times that pushes were held.
    var holds = 0
    /// Since when PostgreSQL does not answer, monotonic nanoseconds.
    var unconfirmedSince: UInt64?
    var isConfirming = false

    /// - Parameter bus: Its handlers run on the hub's loop.
    package init(bus: any Bus, logger: Logger) {
        self.bus = bus
        self.logger = logger
    }

    /// Publishes a message to the other nodes that are subscribed to the subject.
    package func publish(_ message: @autoclosure () -> [UInt8], on subject: Subject?) {
        guard !others.isEmpty, let subject else { return }
        do {
            // The other nodes notice a message that could not be sent as a gap.
            try bus.publish(message(), to: subject)
        } catch {
            logger.error("a message to other nodes could not be published", metadata: ["error": "\(error)"])
        }
    }

    /// Answers another node's question, which arrived as a request of the bus.
    package func answer(_ question: BusMessage, with bytes: [UInt8]) {
        do {
            try bus.reply(to: question, with: bytes)
        } catch {
            logger.error("an answer to a node could not be sent", metadata: ["error": "\(error)"])
        }
    }
}

extension HubCore {
    /// Sends a question to all other nodes, as a request of the bus, and returns their answers after at most ``NodeLink/answerTimeMax``.
    /// - Returns: Nil when the question could not be sent, or there are no nodes.
    package nonisolated(nonsending) func ask(_ question: [UInt8], of subject: Subject?) async -> BusReplies? {
        guard let nodes, let subject else { return nil }
        return await withCheckedContinuation { (done: CheckedContinuation<BusReplies?, Never>) in
            do {
                try nodes.bus.request(question, of: subject, within: NodeLink.answerTimeMax, on: loop) {
                    done.resume(returning: $0)
                }
            } catch {
                nodes.logger.error("a question to other nodes could not be sent", metadata: ["error": "\(error)"])
                done.resume(returning: nil)
            }
        }
    }
}
