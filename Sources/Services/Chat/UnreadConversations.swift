import Synchronization

/// Conversations with new messages that no reminder planner has processed yet. Usable from any thread.
public final class UnreadConversations: Sendable {
    /// Largest number of conversations kept; the planner finds further ones in the database.
    static let countMax = 100_000

    private let conversations = Mutex<Set<Int64>>([])

    /// Adds conversations with a new message.
    public func add(_ some: some Sequence<Int64>) {
        conversations.withLock { conversations in
            for one in some where conversations.count < Self.countMax { conversations.insert(one) }
        }
    }

    /// Returns the conversations and removes them.
    func take() -> [Int64] {
        conversations.withLock { conversations in
            defer { conversations = [] }
            return Array(conversations)
        }
    }
}
