import Wire

/// What a subscriber of a reliable topic hears, in the order the server said it.
public enum LogEvent<Data: Codable & Sendable>: Sendable {
    /// The reply to the subscription.
    case resumed(Resumed<Data>)
    /// A publication, by its offset the next one; one that is not is a reason to subscribe again.
    case published(epoch: Int64, Publication<Data>)
}

extension CampanileConnection {
    /// Subscribes to a reliable topic from where one stands. When the reply has `more`, call it again from the reply's
    /// position; pushes follow the last one. It lasts as long as the connection, or until ``leaveLog(_:)``. What `chat/<id>`
    /// tells beside its log (who writes, who has read) is passed over.
    /// - Parameters:
    ///   - topic: Such as `campus/notices`.
    ///   - since: What was seen last; nil when nothing was.
    ///   - onEvent: Called on the connection's loop, in the order of the wire; must be short and must not block.
    /// - Throws: As ``call(_:_:timeout:)``.
    public func follow<Data: Codable & Sendable>(
        log topic: String, of data: Data.Type, since: TopicPosition?,
        onEvent: @escaping @Sendable (LogEvent<Data>) -> Void
    ) async throws {
        try await attach(
            TopicSink(
                topic: topic, share: nil,
                snapshot: { bytes in
                    guard let reply = try? WireJSON.decode(Success<Resumed<Data>>.self, from: bytes) else {
                        return .end
                    }
                    onEvent(.resumed(reply.result))
                    return .goOn
                },
                update: { bytes in
                    guard let push = try? WireJSON.decode(Push<Data>.self, from: bytes).params,
                        let epoch = push.epoch, let offset = push.offset
                    else {
                        let aside = try? WireJSON.decode(Push<ChatAside>.self, from: bytes).params
                        return aside != nil && aside?.offset == nil ? .goOn : .end
                    }
                    onEvent(.published(epoch: epoch, Publication(offset: offset, data: push.data)))
                    return .goOn
                }, finish: {}, since: since))
    }

    /// Hears `user/<id>`: what is new for the account that is signed in, as long as the connection lasts. What was missed
    /// before is not told: ask `chat.list` once this has returned.
    /// - Parameters:
    ///   - account: One's own.
    ///   - onSignal: Called on the connection's loop, in the order of the wire; must be short and must not block.
    /// - Throws: As ``call(_:_:timeout:)``.
    public func follow(user account: Int64, onSignal: @escaping @Sendable (UserSignal) -> Void) async throws {
        try await attach(
            TopicSink(
                topic: "user/\(account)", share: nil, snapshot: { _ in .goOn },
                update: { bytes in
                    guard let push = try? WireJSON.decode(Push<UserSignal>.self, from: bytes) else { return .end }
                    onSignal(push.params.data)
                    return .goOn
                }, finish: {}))
    }

    /// Ends a subscription of ``follow(log:of:since:onEvent:)``.
    public func leaveLog(_ topic: String) { leave(topic) }

    /// Drops the socket without a goodbye, as a phone in a tunnel does.
    public func drop() { abandon("dropped by this side") }
}
