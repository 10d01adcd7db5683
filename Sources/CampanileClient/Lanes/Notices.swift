import EventLoop
import Foundation
import Wire

/// What a reader of one's notices is given, in order.
public enum NoticeNews: Sendable, Equatable {
    /// A notice that is new, or says something new. `position` is what to keep: ``ResilientClient/notices(since:)`` with it goes on
    /// behind this one.
    case notice(Notice, position: TopicPosition)
    /// A notice is not to be shown any more.
    case withdrawn(number: Int64, position: TopicPosition)
    /// Not everything since the reader's position could be given: those that hold follow; others are not to be shown any more.
    case lost(RecoveryFailure)
}

/// The notices that are for the account that is signed in, for one reader: each revision of each once, over as many connections as it
/// takes. Emergencies come while others wait until one may be disturbed.
///
/// What was given is acknowledged by itself, some together. As ``Publications``, to leave stop reading.
public struct Notices: AsyncSequence, Sendable {
    /// What is given.
    public typealias Element = NoticeNews

    let client: ResilientClient
    let since: TopicPosition?
    let acknowledges: Bool

    /// Begins to read. One reader at a time may be on a client.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            feed: client.publications(of: .notices, since: since).makeAsyncIterator(),
            receipts: acknowledges ? NoticeReceipts(client: client) : nil)
    }

    /// One reader.
    public struct Iterator: AsyncIteratorProtocol {
        var feed: Publications<NoticeEvent>.Iterator
        let receipts: NoticeReceipts?
        private var known = KnownRevisions()

        init(feed: Publications<NoticeEvent>.Iterator, receipts: NoticeReceipts?) {
            self.feed = feed
            self.receipts = receipts
        }

        /// The next; waits for it.
        public mutating func next() async throws -> NoticeNews? {
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

/// What was given of which notice. What passed while others waited comes again on the next connection.
struct KnownRevisions: Sendable {
    /// Notices that are remembered; of those that were taken first nothing comes any more.
    static let noticesMax = 1_000

    private var revisions: [Int64: Int] = [:]
    private var order: [Int64] = []

    /// - Returns: Whether it is new.
    mutating func take(_ event: NoticeEvent) -> Bool {
        if let known = revisions[event.number], known >= event.revision { return false }
        if revisions.updateValue(event.revision, forKey: event.number) == nil { order.append(event.number) }
        if order.count > Self.noticesMax { revisions[order.removeFirst()] = nil }
        return true
    }
}

/// Says that notices are here, some together and not all devices at once.
actor NoticeReceipts {
    /// Notices in one acknowledgement.
    static let numbersMax = 100
    /// How long the first waits for others, at least and at most.
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

    /// Until nothing waits. What could not be said because the client ended is said by none.
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
    /// Reads one's notices, from where one stands, and stays with them over reconnections.
    /// - Parameters:
    ///   - since: The position of the last that was taken; nil begins with those that hold.
    ///   - acknowledges: Tells the server which came, so that their senders see how many have them.
    public nonisolated func notices(since: TopicPosition? = nil, acknowledges: Bool = true) -> Notices {
        Notices(client: self, since: since, acknowledges: acknowledges)
    }

    /// Sends a notice. It is sent again over as many connections as it takes, with the same `id`, so that there is one.
    /// - Returns: What became of it, once it is committed.
    /// - Throws: `RPCError` that trying again cannot mend, ``ClientError`` when the client has ended, or `CancellationError`;
    ///   after the last two it may have been sent.
    @discardableResult
    public func publish(_ notice: NoticesPublish.Params) async throws -> SentNotice {
        try await untilAnswered(NoticesPublish.self, notice)
    }

    /// Sends a notice at once; see ``publish(_:)``.
    /// - Parameters:
    ///   - title: 1 to 120 characters.
    ///   - body: At most 4,000 characters.
    ///   - audience: To whom.
    ///   - level: How much it matters.
    ///   - id: A UUID; give the same again to send the same again after the program was ended.
    @discardableResult
    public func publish(
        title: String, body: String? = nil, to audience: NoticeAudience, level: NoticeLevel = .info,
        id: String = UUID().uuidString.lowercased()
    ) async throws -> SentNotice {
        try await publish(NoticesPublish.Params(id: id, audience: audience, title: title, body: body, level: level))
    }
}
