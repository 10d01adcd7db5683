extension ChatEvent {
    /// The event as it is pushed: by hand, with `by`, `type` and what it is about in front, where ``ChatEventHead`` finds
    /// them. O(bytes).
    public var json: [UInt8] {
        var json = JSONText(bytesExpected: 256 + (text?.utf8.count ?? 0))
        json.add("{\"by\":", by)
        json.add(",\"type\":\"")
        json.add(plain: type.rawValue)
        json.add("\"")
        if let message { json.add(",\"message\":", message) }
        if let account { json.add(",\"account\":", account) }
        if let at { json.add(",\"at\":", at) }
        if let id { json.add(",\"id\":", string: id) }
        if let text { json.add(",\"text\":", string: text) }
        if let picture {
            json.add(",\"picture\":{\"id\":", string: picture.id)
            json.add(",\"width\":", Int64(picture.width))
            json.add(",\"height\":", Int64(picture.height))
            json.add("}")
        }
        if let reply { json.add(",\"reply\":", reply) }
        if let editedAt { json.add(",\"editedAt\":", editedAt) }
        if let deletedAt { json.add(",\"deletedAt\":", deletedAt) }
        if let emoji { json.add(",\"emoji\":", string: emoji.rawValue) }
        if let on { json.add(",\"on\":", on) }
        if let role { json.add(",\"role\":", string: role.rawValue) }
        json.add("}")
        return json.bytes
    }

    /// What a reader gets in place of what somebody blocked did.
    public static let hidden = ChatEvent(by: 0, type: .hidden, at: nil)

    /// What a reader gets when somebody blocked deletes what somebody else wrote: the words go, and nobody did it.
    static func deleted(_ message: Int64) -> ChatEvent {
        var event = ChatEvent(by: 0, type: .deleted, at: nil)
        event.message = message
        return event
    }
}

/// What a server must know of an event that goes through it, read from its first bytes. They are its own: what people write comes
/// behind them, whatever it is.
public struct ChatEventHead: Sendable, Equatable {
    /// Whose doing it is; 0 when nobody's.
    public let by: Int64
    /// What happened.
    public let type: ChatEvent.Kind
    /// The message or the account that it is about; nil when it is about neither.
    public let subject: Int64?
    /// Of a message that somebody else deleted: who wrote it.
    public let author: Int64?

    /// - Parameter json: Nil for what ``ChatEvent/json`` does not write. O(1).
    public init?(peeking json: [UInt8]) {
        var rest = json[...]
        guard rest.take("{\"by\":"), let by = rest.takeNumber(), rest.take(",\"type\":\"") else { return nil }
        let name = rest.prefix(16).prefix { $0 != UInt8(ascii: "\"") }
        guard let type = ChatEvent.Kind(rawValue: String(decoding: name, as: UTF8.self)) else { return nil }
        rest = rest.dropFirst(name.count + 1)
        self.by = by
        self.type = type
        let isAboutSomething = rest.take(",\"message\":") || rest.take(",\"account\":")
        subject = isAboutSomething ? rest.takeNumber() : nil
        author = type == .deleted && rest.take(",\"account\":") ? rest.takeNumber() : nil
    }

    /// Whether it changes a message at or before an offset.
    public func changesMessage(through offset: Int64) -> Bool {
        switch type {
        case .edited, .deleted, .reaction: subject.map { $0 <= offset } ?? false
        default: false
        }
    }

    /// What a reader gets in its place; nil for the event as it is.
    /// - Parameters:
    ///   - from: The log's offset when the reader joined: what was sent before stays unknown to the reader, and so does each change of it.
    ///   - isHidden: Whether the reader is to know nothing of an account.
    public func mask(from: Int64, _ isHidden: (Int64) -> Bool) -> ChatEvent? {
        if changesMessage(through: from) { return .hidden }
        guard isHidden(by) else { return nil }
        // Words that are on a screen must go, whoever deleted them.
        guard let subject, let author, !isHidden(author) else { return .hidden }
        return .deleted(subject)
    }
}

extension ArraySlice<UInt8> {
    fileprivate mutating func take(_ text: StaticString) -> Bool {
        let expected = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard starts(with: expected) else { return false }
        removeFirst(expected.count)
        return true
    }

    fileprivate mutating func takeNumber() -> Int64? {
        let digits = prefix(20).prefix { $0 == UInt8(ascii: "-") || (48...57).contains($0) }
        removeFirst(digits.count)
        return Int64(String(decoding: digits, as: UTF8.self))
    }
}
