import Wire

import struct Foundation.UUID

/// A message between nodes about live groups.
enum LiveGroupMessage: Codable, Equatable, Sendable {
    /// Progress of a member.
    struct Progress: Codable, Equatable, Sendable {
        var account: Int64
        var position: TrainingPosition
        var at: Timestamp
    }

    /// To all, as a question: a change was committed. It is answered when the node has applied it.
    case changed(StoredLiveGroup)
    /// To all, as a question: the account was removed or disabled.
    case account(Int64)
    /// Answer to these questions.
    case done
    /// On a group's subject: progress of members, and the accounts that are connected at the sender.
    /// - isAsking: The receivers send their complete state.
    case state(UUID, [Progress], present: [Int64], isAsking: Bool)
}
