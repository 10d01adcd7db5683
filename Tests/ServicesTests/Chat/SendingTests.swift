import Foundation
import Hub
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Sending messages")
struct SendingTests {
    @Test("Sent again it is the same message: at once, in one group, on two nodes, in other letters")
    func again() async throws {
        let here = try await ChatWorld()
        let there = ChatWorld(over: World(access: here.world.access, patience: .seconds(120)))
        let (anna, berta, conversation) = try await here.pair()
        var reader = ChatReader(conversation, berta)
        try await reader.open(here)
        for round in 0..<8 {
            let id = World.newID()
            let places = try await withThrowingTaskGroup(of: ChatPosition.self) { group in
                for number in 0..<6 {
                    group.addTask {
                        let chat = number % 2 == 0 ? here.chat : there.chat
                        let sentID = number < 3 ? id : id.lowercased()
                        return try await chat.send(
                            .init(conversation: conversation, id: sentID, text: "round \(round)"), by: anna)
                    }
                }
                return try await group.reduce(into: [ChatPosition]()) { $0.append($1) }
            }
            #expect(places.count == 6 && places.allSatisfy { $0.offset == places[0].offset && $0.at == places[0].at })
            // The same number of somebody else's, or elsewhere, is another message.
            let other = try await here.send("of another", in: conversation, by: berta, id: id)
            #expect(other != places[0].offset)
            #expect(try await there.send("too late", in: conversation, by: anna, id: id) == places[0].offset)
        }
        let texts = try await here.texts(conversation, of: anna)
        #expect(texts.filter { $0 != "of another" } == (0..<8).map { "round \($0)" })
        #expect(texts.count == 16)
        try await reader.read(to: 17)
        #expect(reader.events.map(\.offset) == Array(2...17))
        await there.world.close()
    }

    @Test(
        "Lists are told the beginning of a message by scalars: of characters that are many each, no more than nodes tell each other"
    )
    func preview() {
        let families = String(repeating: "👨‍👩‍👧‍👦", count: 300)
        #expect(Chat.preview(families).unicodeScalars.count == Chat.previewCharactersMax)
        #expect(families.unicodeScalars.starts(with: Chat.preview(families).unicodeScalars))
        #expect(Chat.preview("short") == "short")
    }

    @Test("1,000 messages at once, in two conversations, on two nodes: offsets without gaps, each sender's in order")
    func gapless() async throws {
        let here = try await ChatWorld()
        let there = ChatWorld(over: World(access: here.world.access, patience: .seconds(120)))
        let people = try await here.members(5)
        let groups = [try await here.group(people), try await here.group(people)]
        var reader = ChatReader(groups[0], people[4])
        try await reader.open(here)
        let first = try #require(reader.position?.offset)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for (index, who) in people.enumerated() {
                for lane in 0..<4 {
                    tasks.addTask {
                        let node = lane % 2 == 0 ? here : there
                        for number in 0..<50 {
                            try await node.send("\(index).\(lane).\(number)", in: groups[lane / 2], by: who)
                        }
                    }
                }
            }
            try await tasks.waitForAll()
        }
        for group in groups {
            let items = try await here.history(group, of: people[0]).reversed()
            let messages = items.filter { $0.event.type == .message }
            #expect(messages.count == 500)
            let head = try #require(items.last?.offset)
            #expect(messages.map(\.offset) == Array((head - 499)...head))
            for index in people.indices {
                for lane in 0..<4 {
                    let own = messages.compactMap(\.event.text).filter { $0.hasPrefix("\(index).\(lane).") }
                    #expect(own.isEmpty || own == (0..<50).map { "\(index).\(lane).\($0)" })
                }
            }
        }
        try await reader.read(to: first + 500)
        #expect(reader.events.map(\.offset) == Array((first + 1)...(first + 500)))
        await there.world.close()
    }

    @Test("A refused message does not hurt those that share its transaction")
    func refused() async throws {
        let world = try await ChatWorld()
        let (anna, berta, conversation) = try await world.pair()
        let stranger = try await world.member()
        let used = try await world.picture(of: anna)
        try await world.send(nil, in: conversation, by: anna, picture: used)
        let outcomes = await withTaskGroup(of: (Int, ErrorCode?).self) { group in
            for number in 0..<40 {
                group.addTask {
                    do {
                        switch number % 4 {
                        case 0: try await world.send("good \(number)", in: conversation, by: anna)
                        case 1: try await world.send("intruder", in: conversation, by: stranger)
                        case 2: try await world.send("nowhere", in: .max - Int64(number), by: berta)
                        default: try await world.send("stale", in: conversation, by: anna, picture: used)
                        }
                        return (number, nil)
                    } catch { return (number, RPCError.clientError(error)?.registered) }
                }
            }
            return await group.reduce(into: [Int: ErrorCode?]()) { $0[$1.0] = $1.1 }
        }
        for (number, outcome) in outcomes { #expect(outcome == (number % 4 == 0 ? nil : .notFound), "\(number)") }
        let texts = try await world.texts(conversation, of: berta)
        #expect(Set(texts) == Set((0..<10).map { "good \($0 * 4)" }))
        let offsets = try await world.history(conversation, of: berta).map(\.offset)
        #expect(offsets == Array((1...12).reversed()))
    }

    @Test("A picture is sent once, also by two messages at the same moment, in one conversation or two")
    func pictureOnce() async throws {
        let here = try await ChatWorld()
        let there = ChatWorld(over: World(access: here.world.access, patience: .seconds(120)))
        let people = try await here.members(3)
        let conversations = [try await here.match(people[0], people[1]), try await here.match(people[0], people[2])]
        for round in 0..<6 {
            let picture = try await here.picture(of: people[0])
            let sent = await withTaskGroup(of: (Int64, Int64)?.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        let node = round % 2 == 0 ? here : (number % 2 == 0 ? here : there)
                        let conversation = conversations[number / 2]
                        let offset = try? await node.send(nil, in: conversation, by: people[0], picture: picture)
                        return offset.map { (conversation, $0) }
                    }
                }
                return await group.reduce(into: [(Int64, Int64)]()) { if let one = $1 { $0.append(one) } }
            }
            try #require(sent.count == 1, "round \(round)")
            let other = sent[0].0 == conversations[0] ? people[1] : people[2]
            #expect(
                try await here.chat.mayView(
                    picture: picture, conversation: sent[0].0, offset: sent[0].1, by: other.account.id,
                    adminsNeedFactor: false))
        }
        #expect(
            await refusal(.notFound) {
                try await here.send(
                    nil, in: conversations[0], by: people[1], picture: try await here.picture(of: people[0]))
            }?.data?.field == "picture")
        await there.world.close()
    }

    @Test("An answer to what is no message, or to one from before the sender's time, is sent without it")
    func replies() async throws {
        let world = try await ChatWorld()
        let people = try await world.members(2)
        let late = try await world.member()
        let group = try await world.group(people, invited: [late])
        let first = try await world.send("first", in: group, by: people[0])
        try await world.join(group, late)
        let own = try await world.send("mine", in: group, by: late)
        for (reply, shown) in [(first, nil), (own, own), (1, nil), (0, nil), (-1, nil), (.max, nil)]
            as [(Int64, Int64?)]
        {
            let offset = try await world.send("answer", in: group, by: late, reply: reply)
            let item = try await world.history(group, of: people[0]).first { $0.offset == offset }
            #expect(item?.event.reply == shown, "\(reply)")
        }
        let answer = try await world.send("answer", in: group, by: people[1], reply: first)
        #expect(try await world.history(group, of: late).first { $0.offset == answer }?.event.reply == first)
    }

    @Test("What cannot be sent is refused with the member at fault and what to do")
    func limits() async throws {
        let world = try await ChatWorld()
        let (anna, _, conversation) = try await world.pair()
        func fault(_ code: ErrorCode, _ params: ChatSend.Params) async -> RPCError? {
            await refusal(code) { try await world.chat.send(params, by: anna) }
        }
        let id = World.newID()
        for text in ["", " \n\t ", nil] {
            #expect(
                await fault(.invalidParams, .init(conversation: conversation, id: id, text: text))?.data?.field
                    == "text")
        }
        for text in [String(repeating: "é", count: 4_001), "bell \u{7}", "nul \u{0}", "\u{9F}"] {
            #expect(
                await fault(.invalidParams, .init(conversation: conversation, id: id, text: text))?.data?.field
                    == "text")
        }
        #expect(await fault(.invalidParams, .init(conversation: conversation, id: "7", text: "x"))?.data?.field == "id")
        for picture in ["7", World.newID()] {
            let error = await fault(.notFound, .init(conversation: conversation, id: id, picture: picture))
            #expect(error?.data?.field == "picture")
        }
        for conversation in [0, -1, Int64.max] {
            let error = await fault(.notFound, .init(conversation: conversation, id: id, text: "x"))
            #expect(error?.data?.field == "conversation")
        }
        let longest = String(repeating: "💪", count: 4_000)
        try await world.send(longest, in: conversation, by: anna)
        try await world.send("  a\n\tb  ", in: conversation, by: anna)
        #expect(try await world.texts(conversation, of: anna) == [longest, "a\n\tb"])
    }
}
