import Foundation
import Hub
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Lists, history and search")
struct ReadingTests {
    @Test("Pages of history hold everything once, newest first, and end")
    func pages() async throws {
        let world = try await ChatWorld()
        let (anna, berta, conversation) = try await world.pair()
        for number in 1...45 {
            let message = try await world.send("\(number)", in: conversation, by: number % 2 == 0 ? anna : berta)
            // Events that are not listed lie between.
            if number % 5 == 0 {
                _ = try await world.chat.react(
                    .init(conversation: conversation, message: message, emoji: .fire, on: true), by: anna)
            }
        }
        for limit in [1, 7, 23, 46, 100] {
            var texts: [String?] = []
            var before: Int64?
            var pages = 0
            repeat {
                let page = try await world.chat.history(
                    .init(conversation: conversation, before: before, limit: limit), for: anna)
                #expect(page.items.count <= limit)
                texts += page.items.map(\.event.text)
                before = page.next
                pages += 1
            } while before != nil && pages < 60
            #expect(texts == (1...45).reversed().map { "\($0)" } + [nil], "\(limit)")
        }
        #expect(try await world.chat.history(.init(conversation: conversation), for: anna).items.count == 30)
        for (before, limit) in [(0, 1), (-1, 1), (nil, 0), (nil, 101), (nil, -1)] as [(Int64?, Int?)] {
            let params = ChatHistory.Params(conversation: conversation, before: before, limit: limit)
            #expect(await refusal(.invalidParams) { try await world.chat.history(params, for: anna) } != nil)
        }
    }

    @Test("The list is newest first: what was written last, or what one came to last")
    func order() async throws {
        let world = try await ChatWorld()
        let people = try await world.members(5)
        var conversations: [Int64] = []
        for other in people.dropFirst() {
            world.clock.advance(bySeconds: 1)
            conversations.append(try await world.match(people[0], other))
        }
        #expect(try await world.chat.list(of: people[0]).map(\.id) == conversations.reversed())
        world.clock.advance(bySeconds: 1)
        try await world.send("up", in: conversations[1], by: people[2])
        world.clock.advance(bySeconds: 1)
        try await world.send("further up", in: conversations[0], by: people[0])
        let order = [0, 1, 3, 2].map { conversations[$0] }
        let list = try await world.chat.list(of: people[0])
        #expect(list.map(\.id) == order)
        #expect(list.map(\.unread) == [0, 1, 0, 0])
        #expect(list.map(\.new) == [true, true, true, true])
        _ = try await world.chat.conversation(.init(conversation: order[3], opens: true), for: people[0])
        #expect(try await world.listed(order[3], of: people[0])?.new == false)
        #expect(try await world.listed(order[3], of: people[3])?.new == true)
        let long = String(repeating: "é", count: 300)
        try await world.send(long, in: conversations[2], by: people[0])
        #expect(try await world.listed(conversations[2], of: people[3])?.last?.text == String(long.prefix(200)))
    }

    @Test("Search finds words and parts of words, all of them, in one's own conversations alone")
    func search() async throws {
        let world = try await ChatWorld()
        let (anna, berta, conversation) = try await world.pair()
        let (_, stranger, _) = try await world.pair()
        let other = try await world.match(anna, stranger)
        for text in [
            "Running at the Stadium", "run, forest!", "Läufe im Wald", "a stadium tour", "ランニング 楽しい", "5 km in 25:30",
        ] {
            world.clock.advance(bySeconds: 1)
            try await world.send(text, in: conversation, by: berta)
        }
        world.clock.advance(bySeconds: 1)
        try await world.send("running elsewhere", in: other, by: stranger)
        #expect(
            try await world.found("run", by: anna) == ["running elsewhere", "run, forest!", "Running at the Stadium"])
        #expect(try await world.found("run", by: anna, in: conversation).count == 2)
        #expect(try await world.found("run", by: berta) == ["run, forest!", "Running at the Stadium"])
        #expect(try await world.found("STAD running", by: berta) == ["Running at the Stadium"])
        #expect(try await world.found("läu", by: berta) == ["Läufe im Wald"])
        #expect(try await world.found("ランニ", by: berta) == ["ランニング 楽しい"])
        #expect(try await world.found("adium", by: berta) == ["a stadium tour", "Running at the Stadium"])
        #expect(try await world.found("elsewhere", by: berta).isEmpty)
        #expect(try await world.found("elsewhere", by: berta, in: other).isEmpty)
        #expect(try await world.found("run", by: stranger, in: conversation).isEmpty)
        #expect(try await world.found("run", by: stranger, in: .max).isEmpty)
    }

    @Test("What was written is found by itself and by its parts, in any script and either Unicode form")
    func asWritten() async throws {
        let world = try await ChatWorld()
        let (anna, berta, conversation) = try await world.pair()
        let searches = [
            "run/jog tomorrow": ["jog", "run/jog", "RUN/JOG"], "pace 4.35 now": ["4.35"], "-5 degrees": ["-5 degrees"],
            "see https://example.com/a/b?x=1": ["https://example.com/a/b?x=1", "example.com"], "in km/h": ["km/h"],
            "mail me anna@uni.org": ["anna@uni.org", "uni.org"], "我们明天见面": ["明天", "明"], "สวัสดีครับ": ["ครับ"],
            "İstanbul": ["İstanbul", "stanbul"], "cafe\u{301} at noon": ["café", "cafe\u{301} noon"],
            "C++ club": ["C++"],
            "100% sure_ly \\o/": ["100%", "sure_", "\\o/", "%"], "👩🏽‍🚀 up": ["👩🏽‍🚀"],
        ]
        for text in searches.keys { try await world.send(text, in: conversation, by: berta) }
        for (text, words) in searches {
            let written = text.precomposedStringWithCanonicalMapping
            for word in words { #expect(try await world.found(word, by: anna) == [written], "\(word)") }
        }
    }

    @Test("Characters of the search's own syntax are letters like others")
    func syntax() async throws {
        let world = try await ChatWorld()
        let (anna, berta, conversation) = try await world.pair()
        try await world.send("plain words here", in: conversation, by: berta)
        for text in [
            "plain & words", "plain|nothing", "!plain", "plain <-> words", "plain:*", "'plain", "plain\\", "(plain",
            "pl%", "pl_in", "plain';DROP TABLE chat_log;--", "%plain_", "%", "_", "\\", "\\p",
        ] { #expect(try await world.found(text, by: anna) == [], "\(text)") }
        for text in ["", "  ", String(repeating: "a", count: 101), "ab\u{0}"] {
            #expect(await refusal(.invalidParams) { try await world.found(text, by: anna) } != nil, "\(text)")
        }
        _ = try await world.found((0..<40).map { "w\($0)" }.joined(separator: " ").prefix(100).description, by: anna)
    }

    @Test("A search that looks at little at a time comes to everything, newest first and each once, and then to an end")
    func searchedInParts() async throws {
        let world = try await ChatWorld()
        let anna = try await world.member()
        var expected: [String] = []
        var conversations: [(Identity, Int64)] = []
        for _ in 0..<4 {
            let buddy = try await world.member()
            conversations.append((buddy, try await world.match(anna, buddy)))
        }
        for number in 0..<80 {
            if number % 3 != 1 { world.clock.advance(bySeconds: 0.001) }
            let (buddy, conversation) = conversations[number % 7 % 4]
            let text = number % 5 == 0 ? "needle \(number)" : "hay \(number)"
            try await world.send(text, in: conversation, by: buddy)
            if number % 5 == 0 { expected.insert(text, at: 0) }
        }
        for eachMin in [Int64(3), 7, 1_000] {
            await world.chat.setScanLimits(.init(inAll: 4, eachMin: eachMin))
            var found: [String] = []
            var before: Timestamp?
            var pages = 0
            repeat {
                let page = try await world.chat.search(.init(text: "needle", before: before), for: anna)
                found += page.messages.map(\.text)
                before = page.next
                pages += 1
            } while before != nil && pages < 100
            #expect(found == expected && before == nil, "\(eachMin)")
            #expect(eachMin == 1_000 ? pages == 1 : pages > 3, "\(eachMin) took \(pages)")
        }
    }

    @Test("Pages of a search leave nothing out, also of messages of the same millisecond")
    func searchPages() async throws {
        let world = try await ChatWorld()
        let (anna, berta, conversation) = try await world.pair()
        for number in 0..<30 {
            if number % 7 == 0 { world.clock.advance(bySeconds: 0.001) }
            try await world.send("needle \(number)", in: conversation, by: berta)
        }
        for limit in [1, 2, 5, 29, 50] {
            var found: [String] = []
            var before: Timestamp?
            repeat {
                let page = try await world.chat.search(.init(text: "needle", before: before, limit: limit), for: anna)
                #expect(page.messages.count >= min(limit, 30 - found.count))
                found += page.messages.map(\.text)
                before = page.next
            } while before != nil && found.count < 100
            #expect(found == (0..<30).reversed().map { "needle \($0)" }, "\(limit)")
        }
        for limit in [0, 51, -1] {
            #expect(
                await refusal(.invalidParams) {
                    try await world.chat.search(.init(text: "needle", limit: limit), for: anna)
                } != nil)
        }
    }
}
