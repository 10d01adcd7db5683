import Bus
import Campus
import HubCore

import struct Foundation.UUID

/// Subjects of the bus.
enum NodeSubjects {
    static let control = spelled(["nodes", "control"])
    /// Separate from `control`, so that a loss concerns only blocks, and an older node does not receive messages it cannot decode.
    static let blocks = spelled(["nodes", "blocks"])
    /// Separate from `control` for the same reasons as `blocks`.
    static let notices = spelled(["nodes", "notices"])
    static let heatmap = spelled(["nodes", "heatmap"])
    /// Separate for the same reasons as `blocks`. Published, or sent as a question where the sender must know that all nodes
    /// applied it.
    static let shares = spelled(["nodes", "shares"])
    /// Separate for the same reasons as `blocks`. The nodes recover from a loss by themselves.
    static let located = spelled(["nodes", "located"])
    /// Separate for the same reasons as `blocks`. Sent as a question, because the sender must know that all nodes applied it.
    static let groups = spelled(["nodes", "groups"])
    static let questions = spelled(["nodes", "questions"])

    static func positions(_ cell: Cell) -> Subject? { spelled(["positions", "\(cell.x)", "\(cell.y)"]) }
    static func session(_ id: Int64) -> Subject? { spelled(["sessions", "\(id)"]) }
    static func presence(_ topic: Topic) -> Subject? { try? Subject(topic: "presence/\(topic)") }
    static func share(_ id: Int64) -> Subject? { spelled(["shares", "\(id)"]) }
    static func people(_ cell: Cell) -> Subject? { spelled(["people", "\(cell.x)", "\(cell.y)"]) }
    static func group(_ id: UUID) -> Subject? { spelled(["groups", id.uuidString.lowercased()]) }
    static func user(_ id: Int64) -> Subject? { spelled(["users", "\(id)"]) }
    static func log(_ topic: Topic) -> Subject? { try? Subject(topic: "log/\(topic)") }

    /// These tokens are fixed words and numbers, which always form a valid subject.
    private static func spelled(_ tokens: [String]) -> Subject? { try? Subject(tokens) }
}
