import Foundation
import Wire

/// Makes buddies of the sample people and fills their conversations.
struct SampleConversations: Sendable {
    /// Time between two messages that arrive while a visitor looks around.
    static let arrivalInterval = Duration.seconds(40)

    let people: SamplePeople
    let time: SampleTime
    let past: SamplePast

    /// Matches the buddies.
    func match() async throws {
        for index in SampleDialogue.visitorBuddies { try await match(people.visitor, people.students[index]) }
        for (one, other) in SampleDialogue.studentBuddies {
            try await match(people.students[one], people.students[other])
        }
    }

    private func match(_ one: SamplePerson, _ other: SamplePerson) async throws {
        try await one.client.call(BuddiesDecide.self, .init(account: other.account.id, accept: true))
        try await other.client.call(BuddiesDecide.self, .init(account: one.account.id, accept: true))
    }

    /// Writes all messages. Conversations follow each other, so that the newest message is the last one.
    func write() async throws {
        for dialogue in SampleDialogue.all { try await write(dialogue) }
        _ = try await open(SampleDialogue.invitation)
    }

    private func write(_ dialogue: SampleDialogue) async throws {
        let conversation = try await open(dialogue)
        var (read, newest): (Int64, Int64) = (0, 0)
        for (index, line) in dialogue.lines.enumerated() {
            newest = try await write(line, in: conversation)
            if index < dialogue.lines.count - dialogue.unread { read = newest }
        }
        let visitor = people.visitor
        try await visitor.attempt(ChatConversation.self, .init(conversation: conversation, opens: true))
        try await visitor.attempt(ChatRead.self, .init(conversation: conversation, offset: read))
        // The others have read everything, so that no responder answers a message of the past.
        for student in people.students {
            try await student.attempt(ChatRead.self, .init(conversation: conversation, offset: newest))
        }
    }

    /// Writes a line with its reaction.
    /// - Returns: The newest offset.
    private func write(_ line: SampleDialogue.Line, in conversation: Int64) async throws -> Int64 {
        let sent = try await person(line.by).client.call(
            ChatSend.self, .init(conversation: conversation, id: UUID().uuidString, text: line.text))
        guard let offset = sent.offset else { throw SampleFailure("a message was not sent") }
        try await past.move(conversation, through: offset, to: time.ago(minutes: line.minutesAgo))
        guard let reaction = line.reaction else { return offset }
        let made = try await person(reaction.by).client.call(
            ChatReact.self, .init(conversation: conversation, message: offset, emoji: reaction.emoji, on: true))
        guard let newest = made.offset else { return offset }
        try await past.move(conversation, through: newest, to: time.ago(minutes: max(0, line.minutesAgo - 1)))
        return newest
    }

    /// The number of the dialogue's conversation, which a group gets now.
    private func open(_ dialogue: SampleDialogue) async throws -> Int64 {
        switch dialogue.kind {
        case .direct(let index):
            let buddy = people.students[index]
            let list = try await buddy.client.call(ChatList.self, Empty()).conversations
            guard let found = list.first(where: { $0.buddy?.account == people.visitor.account.id }) else {
                throw SampleFailure("\(buddy.profile.firstName) and the visitor are not buddies")
            }
            return found.id
        case .group(let name, let purpose, let owner, let students):
            let invited = students.map { people.students[$0] } + (owner == .visitor ? [] : [people.visitor])
            let group = try await person(owner).client.call(
                GroupCreate.self,
                .init(id: UUID().uuidString, name: name, purpose: purpose, invite: invited.map(\.account.id)))
            for member in invited where !(dialogue.lines.isEmpty && member.account.id == people.visitor.account.id) {
                try await member.client.call(GroupAnswer.self, .init(conversation: group.conversation, accept: true))
            }
            return group.conversation
        }
    }

    private func person(_ speaker: SampleDialogue.Speaker) -> SamplePerson {
        switch speaker {
        case .visitor: people.visitor
        case .student(let index): people.students[index]
        }
    }

    /// Sends the messages that arrive later, until all are sent or the task is cancelled.
    func arrive() async throws {
        let writer = people.students[0]
        let list = try await writer.attempt(ChatList.self, Empty())?.conversations ?? []
        guard let group = list.first(where: { $0.name == SampleDialogue.arrivingIn }) else { return }
        for (by, text) in SampleDialogue.arriving {
            try? await Task.sleep(for: Self.arrivalInterval)
            guard !Task.isCancelled else { return }
            try await people.students[by].attempt(
                ChatSend.self, .init(conversation: group.id, id: UUID().uuidString, text: text))
        }
    }
}

/// Failure of the preparation of the samples.
struct SampleFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
