import CampanileClient
import Foundation
import Wire

/// Answers people on behalf of one sample person: messages, suggestions, and invitations to groups, events and shares.
///
/// Sample people do not answer each other, so that no conversation goes on for ever.
struct SampleResponder: Sendable {
    /// Every so many checks the responder looks for requests other than messages too.
    static let checksPerRequestCheck = 2
    /// Highest number of suggestions that one check accepts.
    static let suggestionsMax = 50
    /// Number of newest events of a conversation in which the responder looks for the message to answer.
    static let historyMax = 10

    let person: SamplePerson
    /// Accounts of the sample people that a responder acts for.
    let cast: Set<Int64>
    /// Interval between two checks for messages.
    let checkInterval: Duration

    /// Answers until the task is cancelled.
    /// - Throws: ``ClientError`` if the client has ended.
    func run() async throws {
        var checks = 0
        while !Task.isCancelled {
            if checks % Self.checksPerRequestCheck == 0 { try await answerRequests() }
            try await answerConversations()
            checks += 1
            try? await Task.sleep(for: checkInterval)
        }
    }

    // MARK: Requests

    private func answerRequests() async throws {
        for card in try await person.attempt(BuddiesSuggestions.self, .init(limit: Self.suggestionsMax))?.cards ?? []
        where !cast.contains(card.account) {
            try await person.attempt(BuddiesDecide.self, .init(account: card.account, accept: true))
        }
        for event in try await person.attempt(EventsList.self, .init(which: .invited))?.events ?? [] {
            try await person.attempt(EventsAnswer.self, .init(event: event.id, answer: .going))
        }
        for request in try await person.attempt(SharingRequests.self, Empty())?.toMe ?? [] where request.state == .open
        {
            try await person.attempt(SharingAnswer.self, .init(request: request.id, precision: .building))
        }
        for share in try await person.attempt(SharingWithMe.self, .init())?.invitations ?? [] {
            try await person.attempt(SharingRespond.self, .init(share: share.id, accept: true))
        }
    }

    // MARK: Conversations

    private func answerConversations() async throws {
        for conversation in try await person.attempt(ChatList.self, Empty())?.conversations ?? [] {
            switch conversation.state {
            case .invited: try await join(conversation)
            case .joined where conversation.unread > 0: try await answer(conversation)
            case .joined: break
            }
        }
    }

    private func join(_ conversation: Conversation) async throws {
        try await person.attempt(GroupAnswer.self, .init(conversation: conversation.id, accept: true))
        // The greeting would be the same from each sample person that the group has.
        guard let inviter = conversation.invitedBy, !cast.contains(inviter.account) else { return }
        try await send("Thanks for the invitation! I'm in.", to: conversation.id)
    }

    private func answer(_ conversation: Conversation) async throws {
        try await person.attempt(ChatRead.self, .init(conversation: conversation.id, offset: conversation.head))
        guard
            let page = try await person.attempt(
                ChatHistory.self, .init(conversation: conversation.id, limit: Self.historyMax)),
            let newest = page.items.first(where: { $0.event.type == .message && $0.event.deletedAt == nil }),
            newest.event.by != 0, !cast.contains(newest.event.by), newest.offset > conversation.read,
            try await hasTurn(in: conversation, at: newest.offset)
        else { return }
        try await send(SampleReplies.reply(to: newest.event.text, turn: newest.offset), to: conversation.id)
    }

    /// Whether this person answers: in a group, the sample people take turns.
    private func hasTurn(in conversation: Conversation, at offset: Int64) async throws -> Bool {
        guard conversation.kind == .group else { return true }
        let members =
            try await person.attempt(ChatConversation.self, .init(conversation: conversation.id))?.members ?? []
        let samples = members.filter { $0.state == .joined && cast.contains($0.person.account) }.map(\.person.account)
            .sorted()
        guard !samples.isEmpty else { return false }
        return samples[Int(offset % Int64(samples.count))] == person.account.id
    }

    private func send(_ text: String, to conversation: Int64) async throws {
        try await person.attempt(
            ChatSend.self, .init(conversation: conversation, id: UUID().uuidString, text: text))
    }
}
