import EventLoop
import Foundation
import Wire

/// Event of the signed-in account's notices, in order.
public enum NoticeChange: Sendable, Equatable {
    /// A new notice, or a new revision of one. Keep `position`: ``ResilientClient/notices(since:acknowledges:)`` with it resumes
    /// after this notice.
    case notice(Notice, position: TopicPosition)
    /// A notice that must no longer be shown.
    case withdrawn(number: Int64, position: TopicPosition)
    /// Some events since the reader's position are lost. The valid notices follow; remove all others.
    case lost(RecoveryFailure)
}

/// The signed-in account's notices, for one reader: each revision once, across reconnections.
///
/// While the account must not be disturbed, the server holds back all notices except emergencies. The reader acknowledges received
/// notices in batches. Releasing the iterator unsubscribes, as with ``Publications``.
public struct Notices: AsyncSequence, Sendable {
    public typealias Element = NoticeChange

    let client: ResilientClient
    let since: TopicPosition?
    let acknowledges: Bool

    /// Starts to read. A client can have one reader at a time.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            feed: client.publications(of: .notices, since: since).makeAsyncIterator(),
            receipts: acknowledges ? NoticeReceipts(client: client) : nil)
    }

    public struct Iterator: AsyncIteratorProtocol {
        var feed: Publications<NoticeEvent>.Iterator
        let receipts: NoticeReceipts?
        private var known = KnownRevisions()

        init(feed: Publications<NoticeEvent>.Iterator, receipts: NoticeReceipts?) {
            self.feed = feed
            self.receipts = receipts
        }

        /// Waits for the next event.
        public mutating func next() async throws -> NoticeChange? {
            while let event = try await feed.next() {
                switch event {
                case .lost(let reason): return .lost(reason)
                case .publication(let event, let position):
                    guard known.take(event) else { continue }
                    guard case .notice(let notice) = event else {
                        return .withdrawn(number: event.number, position: position)
                    }
                    await receipts?.add(notice.number)
                    return .notice(notice, position: position)
                }
            }
            return nil
        }
    }
}

/// The revisions already returned. A notice that was sent early comes again on the next connection.
struct KnownRevisions: Sendable {
    /// Maximum of notices remembered. No more events are expected of the oldest ones.
    static let noticesMax = 1_000

    private var revisions: [Int64: Int] = [:]
    private var order: [Int64] = []

    /// Records an event's revision.
    /// - Returns: Whether the revision is new.
    mutating func take(_ event: NoticeEvent) -> Bool {
        if let known = revisions[event.number], known >= event.revision { return false }
        if revisions.updateValue(event.revision, forKey: event.number) == nil { order.append(event.number) }
        if order.count > Self.noticesMax { revisions[order.removeFirst()] = nil }
        return true
    }
}

/// Acknowledges received notices in batches, with a random delay that spreads the devices' requests.
actor NoticeReceipts {
    /// Maximum of notices in one acknowledgement.
    static let numbersMax = 100
    /// Range of the random delay before a batch, in milliseconds.
    static let delay = 200...2_000

    nonisolated let client: ResilientClient
    nonisolated var unownedExecutor: UnownedSerialExecutor { client.loop.asUnownedSerialExecutor() }
    private var waiting: Set<Int64> = []
    private var isSending = false

    init(client: ResilientClient) { self.client = client }

    func add(_ number: Int64) {
        waiting.insert(number)
        guard !isSending else { return }
        isSending = true
        Task { await send() }
    }

    /// Sends batches until none is left. A batch that fails finally is dropped.
    private func send() async {
        while !waiting.isEmpty {
            await client.loop.sleep(for: .milliseconds(Int.random(in: Self.delay)))
            let some = Array(waiting.prefix(Self.numbersMax))
            waiting.subtract(some)
            do {
                _ = try await client.untilAnswered(NoticesReceived.self, NoticeNumbers(notices: some))
            } catch {
                break
            }
        }
        isSending = false
    }
}

extension ResilientClient {
    /// Reads the signed-in account's notices from a known position, across reconnections.
    /// - Parameters:
    ///   - since: Position of the last event received; nil begins with the valid notices.
    ///   - acknowledges: Whether to send receipts, so that the senders see how many devices have received a notice.
    public nonisolated func notices(since: TopicPosition? = nil, acknowledges: Bool = true) -> Notices {
        Notices(client: self, since: since, acknowledges: acknowledges)
    }

    /// Sends a notice. Retries use the same `id`, so it is sent once.
    /// - Returns: The sent notice, after its commit.
    /// - Throws: `RPCError` that a retry cannot resolve, ``ClientError`` if the client has ended, or `CancellationError`. After the
    ///   last two, the notice may have been sent.
    @discardableResult
    public func publish(_ notice: NoticesPublish.Params) async throws -> SentNotice {
        try await untilAnswered(NoticesPublish.self, notice)
    }

    /// Sends a notice; see ``publish(_:)``.
    /// - Parameters:
    ///   - title: 1 to 120 characters.
    ///   - body: At most 4,000 characters.
    ///   - audience: The recipients.
    ///   - level: The notice's importance.
    ///   - id: A UUID. Use the same one to repeat the request after a restart of the program.
    @discardableResult
    public func publish(
        title: String, body: String? = nil, to audience: NoticeAudience, level: NoticeLevel = .info,
        id: String = UUID().uuidString.lowercased()
    ) async throws -> SentNotice {
        try await publish(NoticesPublish.Params(id: id, audience: audience, title: title, body: body, level: level))
    }
}
