import DequeModule
import EventLoop
import Wire

/// The subscription behind ``Publications``: subscribes, resumes, and buffers publications for the reader.
///
/// Isolation: an actor on its client's event loop, where the connection's sinks call it.
actor PublicationSubscription<Data: Codable & Sendable>: ReaderSubscription {
    /// Maximum of publications in one reply (the server's page size). The buffer must have space for a page before each request.
    static var pageMax: Int { 512 }

    nonisolated let client: ResilientClient
    nonisolated let topic: String
    private let isSparse: Bool
    nonisolated var claimed: String { topic }
    nonisolated var unownedExecutor: UnownedSerialExecutor { client.loop.asUnownedSerialExecutor() }

    private var position: TopicPosition?
    private var buffer = Deque<PublicationEvent<Data>>()
    private var readers = Deque<CheckedContinuation<PublicationEvent<Data>?, any Error>>()
    private var ending: (any Error)?
    private var running: Task<Void, Never>?
    var attempt = 0
    /// The connection with a subscription, or a request for one.
    private var asked: CampanileConnection?
    private let work: WakeUp
    /// Number of the current subscription. Messages of earlier ones are ignored.
    private var subscription = 0
    private var standing = Standing.away
    private enum Standing {
        /// Not subscribed; a request is due.
        case away
        /// The last reply was a page; the next one must be requested.
        case paging
        /// Subscribed; pushes follow.
        case following
        /// Unsubscribed, because the buffer is full.
        case full
    }

    init(client: ResilientClient, topic: String, isSparse: Bool = false, since: TopicPosition?) {
        (self.client, self.topic, self.isSparse, position) = (client, topic, isSparse, since)
        work = WakeUp(loop: client.loop)
    }

    // MARK: Reading

    func next() async throws -> PublicationEvent<Data>? {
        try Task.checkCancellation()
        begin()
        return try await withCheckedThrowingContinuation { reader in
            // Check inside the closure: the loop may run another job before a continuation's body.
            if let event = buffer.popFirst() {
                if standing != .following, hasRoom { work.signal() }
                reader.resume(returning: event)
            } else if let ending {
                reader.resume(throwing: ending)
            } else {
                readers.append(reader)
            }
        }
    }

    /// Discards the buffer and ends the subscription, because its reader has left.
    func leave(_ error: any Error) async {
        buffer.removeAll()
        end(error)
    }

    var hasEnded: Bool { ending != nil }

    func end(_ error: any Error) {
        guard ending == nil else { return }
        ending = error
        subscription += 1
        for reader in readers { reader.resume(throwing: error) }
        readers.removeAll()
        // Cancel the task in case it waits for a connection that may never come.
        running?.cancel()
        work.signal()
    }

    private func offer(_ event: PublicationEvent<Data>) {
        if let reader = readers.popFirst() { reader.resume(returning: event) } else { buffer.append(event) }
    }

    /// Number of buffered publications.
    var bufferedCount: Int { buffer.count }
    /// Whether the subscription waits until the reader has made space in the buffer.
    var isFull: Bool { standing == .full || (standing == .paging && !hasRoom) }

    private var hasRoom: Bool { buffer.count + Self.pageMax <= Publications<Data>.bufferedMax }

    // MARK: Subscribing

    private func begin() {
        guard running == nil, ending == nil else { return }
        running = Task { await run() }
    }

    /// Subscribes as often as necessary until the connection ends or the reader leaves.
    func follow(on connection: CampanileConnection) async throws {
        standing = .away
        while ending == nil, await connection.isOpen {
            switch standing {
            case .following: await work.wait(for: nil)
            case .away, .paging, .full:
                guard hasRoom else {
                    await work.wait(for: nil)
                    continue
                }
                subscription += 1
                asked = connection
                try await connection.attach(sink(subscription))
            }
        }
        attempt = 0
    }

    func stopFollowing() async { await asked?.unsubscribe(topic) }

    private func sink(_ subscription: Int) -> TopicSink {
        TopicSink(
            topic: topic, share: nil,
            snapshot: { bytes in self.assumeIsolated { $0.take(reply: bytes, subscription) } },
            update: { bytes in self.assumeIsolated { $0.take(push: bytes, subscription) } },
            finish: { self.assumeIsolated { $0.finished(subscription) } }, since: position)
    }

    // MARK: Received messages

    private func take(reply bytes: [UInt8], _ subscription: Int) -> TopicSink.Outcome {
        guard subscription == self.subscription else { return .goOn }
        guard let reply = try? WireJSON.decode(Success<Resumed<Data>>.self, from: bytes).result else {
            end(ClientError.protocolViolation("the reply to subscribe cannot be read"))
            return .end
        }
        if !reply.recovered {
            if let reason = reply.reason { offer(.lost(reason)) }
            position = TopicPosition(
                epoch: reply.epoch, offset: (reply.publications.first?.offset ?? reply.offset + 1) - 1)
        }
        for publication in reply.publications { take(reply.epoch, publication) }
        position = TopicPosition(epoch: reply.epoch, offset: reply.offset)
        standing = reply.more == true ? .paging : .following
        work.signal()
        return .goOn
    }

    private func take(push bytes: [UInt8], _ subscription: Int) -> TopicSink.Outcome {
        guard subscription == self.subscription, standing == .following else { return .goOn }
        guard let push = try? WireJSON.decode(Push<Data>.self, from: bytes).params,
            push.early == true || push.epoch != nil && push.offset != nil
        else {
            end(ClientError.protocolViolation("a publication of \(topic) cannot be read"))
            return .end
        }
        guard buffer.count < Publications<Data>.bufferedMax else {
            // Unsubscribe, and resume from here when there is space.
            standing = .full
            work.signal()
            return .end
        }
        guard let position, let epoch = push.epoch, let offset = push.offset else {
            if let position { offer(.publication(push.data, position: position)) }
            return .goOn
        }
        guard epoch == position.epoch, isSparse || offset <= position.offset + 1 else {
            // A gap or another epoch: request the publications since the known position.
            standing = .away
            work.signal()
            return .goOn
        }
        take(epoch, Publication(offset: offset, data: push.data))
        return .goOn
    }

    private func take(_ epoch: Int64, _ publication: Publication<Data>) {
        // After a renewed subscription, pushes may repeat publications of the reply.
        guard let position, publication.offset > position.offset else { return }
        let next = TopicPosition(epoch: epoch, offset: publication.offset)
        self.position = next
        offer(.publication(publication.data, position: next))
    }

    /// Handles the end of a subscription, by the connection or by this side.
    private func finished(_ subscription: Int) {
        asked = nil
        guard subscription == self.subscription else { return }
        if standing != .full { standing = .away }
        work.signal()
    }
}
