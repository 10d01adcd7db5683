import Synchronization

/// Conversations with messages that no planner of reminders has taken into account yet. From any thread.
public final class UnreadConversations: Sendable {
    /// Conversations that are kept at most; the planner finds further ones in the database.
    static let countMax = 100_000

    private let conversations = Mutex<Set<Int64>>([])

    /// Adds conversations that have a new message.
    public func add(_ some: some Sequence<Int64>) {
        conversations.withLock { conversations in
            for one in some where conversations.count < Self.countMax { conversations.insert(one) }
        }
    }

    /// Returns the conversations and forgets them.
    func take() -> [Int64] {
        conversations.withLock { conversations in
            defer { conversations = [] }
            return Array(conversations)
        }
    }
}
