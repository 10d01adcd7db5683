import Hub
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Unread messages")
struct UnreadTests {
    /// What a group is, as simply as it can be said.
    private struct Model {
        struct Message {
            let offset: Int64
            let author: Int
            var isDeleted = false
        }
        struct Place {
            let from: Int64
            var read: Int64
        }
        var messages: [Message] = []
        /// Of those who are in it.
        var places: [Int: Place] = [:]
        var invited: Set<Int> = []
        var blocks: Set<Set<Int>> = []
        var head: Int64

        func sees(_ message: Message, _ who: Int) -> Bool {
            guard let place = places[who] else { return false }
            return message.offset > place.from && !blocks.contains([who, message.author])
        }

        func unread(_ who: Int) -> Int {
            messages.count {
                sees($0, who) && !$0.isDeleted && $0.author != who && $0.offset > (places[who]?.read ?? 0)
            }
        }
    }

    private struct Play {
        let world: ChatWorld
        let people: [Identity]
        let group: Int64
        var model: Model
        var random: SeededGenerator

        init(seed: UInt64) async throws {
            random = SeededGenerator(seed: seed)
            world = try await ChatWorld()
            people = try await world.members(5)
            for other in people.dropFirst() { try await world.match(people[0], other) }
            group = try await world.group([people[0]])
            model = Model(head: 1)
            model.places[0] = .init(from: 0, read: 1)
        }

        private mutating func one<T>(_ choices: some Collection<T>) -> T? { choices.randomElement(using: &random) }

        mutating func step() async throws {
            world.clock.advance(bySeconds: 1)
            let member = try #require(one(model.places.keys.sorted()))
            let other = try #require(one(1..<people.count))
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<5:
                let offset = try await world.send("words", in: group, by: people[member])
                #expect(offset == model.head + 1)
                model.messages.append(.init(offset: offset, author: member))
                model.head = offset
            case 5: try await delete(by: member)
            case 6, 7: try await read(by: member)
            case 8: try await comeOrGo(other)
            case 9: try await join(other)
            case 10:
                guard let third = one((1..<people.count).filter { $0 != other }) else { return }
                try await toggleBlock(other, third)
            default:
                guard let message = one(model.messages.filter { model.sees($0, member) && !$0.isDeleted }) else {
                    return
                }
                let params = ChatReact.Params(
                    conversation: group, message: message.offset, emoji: .fire, on: Bool.random(using: &random))
                if try await world.chat.react(params, by: people[member]).offset != nil { model.head += 1 }
            }
        }

        private mutating func delete(by member: Int) async throws {
            let own = model.messages.indices.filter {
                model.messages[$0].author == member && model.messages[$0].offset > model.places[member]?.from ?? 0
            }
            guard let index = one(own) else { return }
            let place = try await world.chat.delete(
                .init(conversation: group, message: model.messages[index].offset), by: people[member])
            #expect((place.offset == nil) == model.messages[index].isDeleted)
            model.messages[index].isDeleted = true
            if let offset = place.offset { model.head = offset }
        }

        private mutating func read(by member: Int) async throws {
            let offset = Int64.random(in: 0...(model.head + 3), using: &random)
            let read = max(model.places[member]?.read ?? 0, min(offset, model.head))
            model.places[member]?.read = read
            #expect(
                try await world.chat.read(.init(conversation: group, offset: offset), by: people[member]).offset == read
            )
        }

        private mutating func comeOrGo(_ who: Int) async throws {
            if model.places[who] != nil {
                if Bool.random(using: &random) {
                    try await world.chat.leave(.init(conversation: group), by: people[who])
                } else {
                    _ = try await world.chat.remove(
                        .init(conversation: group, account: people[who].account.id), by: people[0])
                }
                model.places[who] = nil
                model.head += 1
            } else {
                _ = try await world.chat.invite(
                    .init(conversation: group, accounts: [people[who].account.id]), by: people[0])
                model.invited.insert(who)
            }
        }

        private mutating func join(_ who: Int) async throws {
            guard model.invited.remove(who) != nil else { return }
            try await world.join(group, people[who])
            model.head += 1
            model.places[who] = .init(from: model.head - 1, read: model.head)
        }

        private mutating func toggleBlock(_ one: Int, _ other: Int) async throws {
            if model.blocks.remove([one, other]) != nil {
                for (blocker, blocked) in [(one, other), (other, one)] {
                    _ = try await world.safety.unblock(
                        people[blocker], AccountParams(account: people[blocked].account.id))
                }
            } else {
                // Who has not met the other has nobody to block.
                do { try await world.block(people[one], people[other]) } catch let error as RPCError
                    where error == Safety.notBlockable
                { return }
                model.blocks.insert([one, other])
            }
        }

        func check(_ comment: String) async throws {
            for (index, who) in people.enumerated() {
                let listed = try await world.listed(group, of: who)
                guard let place = model.places[index] else {
                    #expect(listed?.state == (model.invited.contains(index) ? .invited : nil), "\(comment)")
                    continue
                }
                #expect(listed?.unread == model.unread(index), "\(comment), member \(index)")
                #expect(listed?.read == place.read && listed?.head == model.head, "\(comment), member \(index)")
                #expect(listed?.members == model.places.count, "\(comment)")
                let last = model.messages.last { model.sees($0, index) }
                #expect(listed?.last?.offset == last?.offset, "\(comment), member \(index)")
                #expect(listed?.last?.deleted == last?.isDeleted, "\(comment), member \(index)")
            }
        }
    }

    @Test(
        "Unread messages are counted as a simple model counts them, whatever members do, in any order",
        arguments: 1...6 as ClosedRange<UInt64>)
    func model(seed: UInt64) async throws {
        var play = try await Play(seed: seed)
        for step in 0..<120 {
            try await play.step()
            try await play.check("seed \(seed), step \(step)")
        }
    }

    @Test("Unread messages are counted up to 1,000")
    func most() async throws {
        let world = try await ChatWorld()
        let (anna, berta, conversation) = try await world.pair()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for number in 0..<1_010 { tasks.addTask { try await world.send("\(number)", in: conversation, by: anna) } }
            try await tasks.waitForAll()
        }
        #expect(try await world.listed(conversation, of: berta)?.unread == 1_000)
        _ = try await world.chat.read(.init(conversation: conversation, offset: 1_000), by: berta)
        #expect(try await world.listed(conversation, of: berta)?.unread == 11)
    }
}
