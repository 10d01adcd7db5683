import Wire

/// Event of a subscription to a reliable topic, in the order of sending.
public enum LogEvent<Data: Codable & Sendable>: Sendable {
    /// The reply to the subscription.
    case resumed(Resumed<Data>)
    /// A publication. Its offset must be the next one; otherwise subscribe again.
    case published(epoch: Int64, Publication<Data>)
}

extension CampanileConnection {
    /// Subscribes to a reliable topic from a known position. The subscription lasts as long as the connection, or until
    /// ``leaveLog(_:)``.
    ///
    /// If the reply has `more`, call this again with the reply's position. Pushes follow the last reply. Pushes of `chat/<id>` that
    /// are not in its log (typing and read states) are ignored.
    /// - Parameters:
    ///   - topic: The topic, such as `campus/notices`.
    ///   - since: Position of the last publication received; nil if there is none.
    ///   - onEvent: Called on the connection's loop, in the order of sending. It must be short and must not block.
    /// - Throws: The errors of ``call(_:_:timeout:)``.
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

    /// Subscribes to `user/<id>`, the signals for the signed-in account, until the connection ends.
    ///
    /// Earlier signals are not repeated: call `chat.list` after this has returned.
    /// - Parameters:
    ///   - account: The signed-in account's ID.
    ///   - onSignal: Called on the connection's loop, in the order of sending. It must be short and must not block.
    /// - Throws: The errors of ``call(_:_:timeout:)``.
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

    /// Drops the socket without a close frame, as a network failure does.
    public func drop() { abandon("dropped by this side") }
}
