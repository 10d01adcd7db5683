import Foundation

@testable import Wire

extension FuzzTarget {
    static let chat = [
        FuzzTarget("chat-event", inputBytesMax: 512, run: ChatRules.head),
        FuzzTarget("chat-text", inputBytesMax: 512, run: ChatRules.text),
    ]
}

/// What is written in conversations, and what servers read of it.
private enum ChatRules {
    /// What another node tells, whatever it is.
    static func head(_ input: [UInt8]) throws {
        let head = ChatEventHead(peeking: input)
        guard let event = try? WireJSON.decode(ChatEvent.self, from: input) else { return }
        try demandEqual(
            try WireJSON.decode(ChatEvent.self, from: event.json), event, "what is written is read the same")
        if input == event.json {
            try demandEqual(head?.by, event.by, "the head says whose doing it is")
            try demandEqual(head?.type, event.type, "the head says what happened")
            try demandEqual(head?.subject, event.message ?? event.account, "the head says what it is about")
        }
    }

    /// What people write, wherever words go.
    static func text(_ input: [UInt8]) throws {
        let text = String(decoding: input, as: UTF8.self)
        for type in [ChatEvent.Kind.message, .renamed, .edited] {
            var event = ChatEvent(by: 5, type: type, at: Timestamp(milliseconds: 0))
            (event.id, event.text) = (text, text)
            event.message = type == .edited ? 17 : nil
            event.picture = MessagePicture(id: text, width: 1, height: 1)
            let json = event.json
            try demand(json.allSatisfy { $0 >= 0x20 }, "control characters are escaped")
            let head = ChatEventHead(peeking: json)
            try demand(
                head?.by == 5 && head?.type == type && head?.subject == event.message,
                "words are never taken for a head")
            try demandEqual(try WireJSON.decode(ChatEvent.self, from: json), event, "what is written is read the same")
        }
    }
}
