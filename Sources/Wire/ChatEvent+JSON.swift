extension ChatEvent {
    /// JSON text of the event as it is published, in O(bytes). The members `by`, `type`, `message` and `account` come first, because
    /// ``ChatEventHead`` reads them from the first bytes.
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

    /// Event that a reader gets in place of an action of a blocked account.
    public static let hidden = ChatEvent(by: 0, type: .hidden, at: nil)

    /// Event that a reader gets if a blocked account deletes another member's message. It removes the text without naming an actor.
    static func deleted(_ message: Int64) -> ChatEvent {
        var event = ChatEvent(by: 0, type: .deleted, at: nil)
        event.message = message
        return event
    }
}

/// The members of an event by which a server routes and masks it, read from the first bytes of its JSON text. The server writes
/// these members itself; text from users follows them.
public struct ChatEventHead: Sendable, Equatable {
    /// Account that acted; 0 if no account did.
    public let by: Int64
    public let type: ChatEvent.Kind
    /// Message or account that the event concerns; nil for other events.
    public let subject: Int64?
    /// Author of a message that another member deleted; nil for other events.
    public let author: Int64?

    /// Reads the first members of an event, in O(1).
    /// - Parameter json: JSON text as ``ChatEvent/json`` writes it. The initialiser returns nil for other text.
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

    /// Whether the event changes a message at or before an offset.
    public func changesMessage(through offset: Int64) -> Bool {
        switch type {
        case .edited, .deleted, .reaction: subject.map { $0 <= offset } ?? false
        default: false
        }
    }

    /// Returns the event that a reader gets in place of this one, or nil if the reader gets this event unchanged.
    /// - Parameters:
    ///   - from: Offset of the log at which the reader joined. The reader gets neither earlier messages nor changes of them.
    ///   - isHidden: Whether a block hides an account from the reader.
    public func mask(from: Int64, _ isHidden: (Int64) -> Bool) -> ChatEvent? {
        if changesMessage(through: from) { return .hidden }
        guard isHidden(by) else { return nil }
        // A deleted text must disappear from the reader's screen even if a blocked account deleted it.
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
