import Foundation
import TestSupport
import Testing
import Wire

@Suite("Events of conversations, written by hand")
struct ChatEventTests {
    /// What people might write so that their words are taken for something else.
    static let hostile = [
        #"","type":"left","account":7,"#, #"{"by":7,"type":"closed"}"#,
        "\",\"message\":1,\"by\":2,\"type\":\"removed\"",
        "\\", "\\\"", "\\u0022", "\"", "\u{0}\u{1}\u{1F}\u{7F}", "\n\r\t\u{8}\u{C}", "\u{2028}\u{2029}", "👩‍👩‍👧‍👦💪🏽",
        "\u{FEFF}\u{202E}abc", "é e\u{301} ﬁ", "</script><script>", "%s%n${jndi:x}", "\u{FFFF}\u{10FFFF}", "",
    ]

    static func randomEvent(_ random: inout SeededGenerator) -> ChatEvent {
        func maybe<T>(_ value: T) -> T? { Bool.random(using: &random) ? value : nil }
        func number() -> Int64 {
            [0, 1, -1, WireLimit.numberMax, -WireLimit.numberMax, Int64.random(in: 1...1_000_000, using: &random)]
                .randomElement(using: &random) ?? 0
        }
        func text() -> String {
            (0..<Int.random(in: 0...4, using: &random)).map { _ in hostile.randomElement(using: &random) ?? "" }
                .joined()
        }
        func time() -> Timestamp {
            Timestamp(milliseconds: Int64.random(in: 0...4_102_444_800_000, using: &random))
        }
        var event = ChatEvent(
            by: number(), type: ChatEvent.Kind.allCases.randomElement(using: &random) ?? .message, at: maybe(time()))
        (event.id, event.text, event.reply) = (maybe(text()), maybe(text()), maybe(number()))
        event.picture = maybe(MessagePicture(id: text(), width: Int(number()), height: 1))
        (event.editedAt, event.deletedAt) = (maybe(time()), maybe(time()))
        (event.message, event.account, event.on) = (maybe(number()), maybe(number()), maybe(true))
        (event.emoji, event.role) = (Reaction.allCases.randomElement(using: &random), maybe(.admin))
        return event
    }

    @Test("Random events with hostile words are read back as they were, and the head says what the event says")
    func roundTrip() throws {
        for seed in 0..<5_000 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let event = Self.randomEvent(&random)
            let json = event.json
            #expect(try WireJSON.decode(ChatEvent.self, from: json) == event, "seed \(seed)")
            #expect(try JSONDecoder().decode(ChatEvent.self, from: Data(json)).text == event.text, "seed \(seed)")
            let head = try #require(ChatEventHead(peeking: json), "seed \(seed)")
            #expect(head.by == event.by && head.type == event.type, "seed \(seed)")
            #expect(head.subject == event.message ?? event.account, "seed \(seed)")
        }
    }

    @Test("Words, names and ids that look like a head are never taken for one", arguments: hostile)
    func words(text: String) throws {
        for type in [ChatEvent.Kind.message, .renamed, .opened] {
            var event = ChatEvent(by: 3, type: type, at: Timestamp(milliseconds: 0))
            (event.id, event.text) = (text, text)
            let plain = ChatEventHead(peeking: ChatEvent(by: 3, type: type, at: nil).json)
            #expect(plain != nil && ChatEventHead(peeking: event.json) == plain)
            event.at = nil
            #expect(ChatEventHead(peeking: event.json)?.subject == nil)
            #expect(ChatEventHead(peeking: event.json)?.type == type)
        }
        var edited = ChatEvent(by: 3, type: .edited, at: nil)
        (edited.message, edited.text) = (17, text)
        #expect(ChatEventHead(peeking: edited.json)?.subject == 17)
    }

    @Test("Every control character is escaped, and nothing else is changed")
    func escapes() throws {
        let all = (0...0x7F).map { String(UnicodeScalar(UInt8($0))) }.joined()
        var json = JSONText()
        json.add("", string: all)
        #expect(json.bytes.allSatisfy { $0 >= 0x20 })
        #expect(try JSONDecoder().decode(String.self, from: Data(json.bytes)) == all)
    }

    @Test(
        "What is not written by a server has no head",
        arguments: [
            "", "{", "[]", #"{"type":"left","by":1}"#, #"{"by":,"type":"left"}"#, #"{"by":1-2,"type":"left"}"#,
            #"{"by":1,"type":"nothing"}"#, #"{"by":1,"type":"left"#, #"{"by":9223372036854775808,"type":"left"}"#,
            #"{"by":1, "type":"left"}"#, #"{"by":1,"type":"leftleftleftleftleft"}"#,
        ])
    func others(json: String) {
        let head = ChatEventHead(peeking: Array(json.utf8))
        // What is cut off behind the type says no less than its type.
        #expect(head == nil || json == #"{"by":1,"type":"left"#)
    }
}
