import EventLoop
import Foundation
import Wire

/// Synthetic people for demonstrations, who accept every buddy request and answer messages. They are real clients over real
/// sockets.
///
/// Their profiles state that they are samples. They need the server operator's simulation key.
public struct SampleBuddies: Sendable {
    /// Interval between two checks for new people and messages.
    static let checkInterval = Duration.seconds(2)
    /// Prefix of a sample's description. Samples ignore each other.
    static let mark = "A sample, not a person."

    private static let words = [
        "I run slowly, talk a lot, and never miss a Tuesday.", "Looking for company on long rides.",
        "Learning to swim properly, at last.", "Lifting before lectures. Coffee after.",
        "I count for you, you count for me.", "Back after a break: patient people welcome.",
    ]
    private static let answers = [
        "That sounds good! When would suit you?", "I am in. The track at seven?", "Let us do that.",
        "I am only a sample, but a cheerful one.",
    ]

    private let loops: ClientLoops

    /// - Parameter loops: The event loops of the clients.
    public init(loops: ClientLoops) { self.loops = loops }

    /// Runs `count` samples until the task is cancelled.
    /// - Throws: `RPCError` (`forbidden` if the key is not the server's), or ``ClientError`` if a client has ended.
    public func run(server: ServerAddress, key: String, count: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<count { group.addTask { try await runOne(index, server: server, key: key) } }
            try await group.waitForAll()
        }
    }

    private func runOne(_ index: Int, server: ServerAddress, key: String) async throws {
        let client = ResilientClient(address: server, loops: loops)
        await client.start()
        do {
            let name = SampleName.name(of: index)
            try await SimulatedAccount.register(over: client, name: "sample\(name)", key: key)
            try await introduce(index, name: name, client)
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.checkInterval)
                try await respond(client)
            }
        } catch {
            await client.close()
            guard Task.isCancelled else { throw error }
            return
        }
        await client.close()
    }

    private func introduce(_ index: Int, name: String, _ client: ResilientClient) async throws {
        let options = try await client.call(BuddiesOptions.self, Empty())
        _ = try await client.call(BuddiesAgree.self, .init(version: options.rulesVersion))
        let birthday = "\(1996 + index % 11)-0\(1 + index % 9)-1\(index % 9)"
        _ = try await client.call(
            ProfileSave.self,
            .init(
                firstName: name, lastName: "Sample", birthday: birthday,
                gender: Gender.allCases[index % 7 == 6 ? 2 : index % 2]))
        func some(_ list: [BuddyOption], _ count: Int, step: Int) -> [String] {
            (0..<count).map { list[(index * step + $0 * 5) % list.count].id }
        }
        var profile = BuddyProfile(
            showsAge: index % 3 == 0, description: "\(Self.mark) \(Self.words[index % Self.words.count])")
        profile.times = (0..<4).map { n in
            options.days[(index + n * 2) % options.days.count].id + "-"
                + options.dayParts[(index + n) % options.dayParts.count].id
        }
        profile.goals = some(options.goals.options, options.goals.most, step: 1)
        profile.strengths = some(options.strengths.options, options.strengths.most, step: 2)
        profile.styles = some(options.styles.options, options.styles.most, step: 3)
        profile.places = some(options.places.options, options.places.most, step: 1)
        profile.traits = some(options.traits.options, options.traits.most, step: 4)
        profile.desiredTraits = some(options.traits.options, options.traits.most, step: 7)
        profile.desiredStyles = some(options.styles.options, options.styles.most, step: 5)
        _ = try await client.call(BuddiesSave.self, profile)
    }

    private func respond(_ client: ResilientClient) async throws {
        do {
            for card in try await client.call(BuddiesSuggestions.self, .init(limit: 50)).cards
            where !card.description.hasPrefix(Self.mark) {
                _ = try await client.call(BuddiesDecide.self, .init(account: card.account, accept: true))
            }
            for conversation in try await client.call(ChatList.self, Empty()).conversations
            where conversation.state == .joined && conversation.unread > 0 {
                _ = try await client.call(
                    ChatRead.self, .init(conversation: conversation.id, offset: conversation.head))
                _ = try await client.call(
                    ChatSend.self,
                    .init(
                        conversation: conversation.id, id: UUID().uuidString,
                        text: Self.answers[Int(conversation.head) % Self.answers.count]))
            }
        } catch is RPCError {
            // Ignore a refusal. The next check is soon.
        } catch ClientError.disconnected, ClientError.timeout {
        }
    }
}
