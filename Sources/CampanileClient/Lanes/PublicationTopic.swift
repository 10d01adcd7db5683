import Foundation
import Wire

/// A reliable topic and the type of what is published on it.
public struct PublicationTopic<Data: Codable & Sendable>: Sendable {
    /// As on the wire, such as `campus/notices`.
    public let path: String
    /// One gets only some of its publications, and some out of turn, without an offset.
    let isSparse: Bool

    /// A topic of a newer server that this library does not name yet.
    public init(path: String) { self.init(path: path, isSparse: false) }

    init(path: String, isSparse: Bool) { (self.path, self.isSparse) = (path, isSparse) }
}

extension PublicationTopic where Data == NoticeEvent {
    /// One's own; see ``ResilientClient/notices(since:acknowledges:)``.
    static var notices: PublicationTopic { PublicationTopic(path: "notices", isSparse: true) }

    /// Notices to the whole campus; for everybody, guests too.
    public static var campusNotices: PublicationTopic { PublicationTopic(path: "campus/notices") }

    /// Notices to those in one zone.
    public static func notices(zone: Int64) -> PublicationTopic { PublicationTopic(path: "zone/\(zone)/notices") }
}

extension PublicationTopic where Data == TestPublication {
    /// For measuring, on servers with test endpoints.
    /// - Parameter number: 1 to 1,000.
    public static func test(_ number: Int) -> PublicationTopic { PublicationTopic(path: "test/\(number)") }
}

/// What a reader of a reliable topic is given, in order.
public enum PublicationEvent<Data: Codable & Sendable>: Sendable {
    /// The next publication. `position` is what to keep: a later ``ResilientClient/publications(of:since:)`` with it goes on
    /// behind this one.
    case publication(Data, position: TopicPosition)
    /// Not everything since the reader's position could be given, and why: forget what is known of the topic. The newest of it
    /// follow as publications.
    case lost(RecoveryFailure)
}

extension PublicationEvent: Equatable where Data: Equatable {}

extension ResilientClient {
    /// Publishes on a test topic, on servers with test endpoints. It is sent again over as many connections as it takes, with the same
    /// `id`, so that it is published once.
    /// - Returns: Where it is, once it is committed.
    @discardableResult
    public func publish(
        test data: String, to topic: PublicationTopic<TestPublication>,
        id: String = UUID().uuidString.lowercased()
    ) async throws -> Published {
        try await untilAnswered(TestPublish.self, TestPublish.Params(topic: topic.path, id: id, data: data))
    }

    /// Sends a request that is harmless to send twice, until there is an answer that trying again would not change.
    func untilAnswered<M: RPCMethod>(_ method: M.Type, _ params: M.Params) async throws -> M.Result {
        for attempt in 0... {
            try Task.checkCancellation()
            let connection = try await connected()
            do {
                return try await connection.call(method, params)
            } catch let error as RPCError where error.registered?.isRetryable == true {
                await loop.sleep(for: error.retryDelay ?? options.backoff.delay(attempt: attempt))
            } catch ClientError.disconnected {
                // Again on the next connection.
            } catch ClientError.timeout {
                // Its answer may still come; it would be the same.
            } catch ClientError.tooManyCalls {
                await loop.sleep(for: options.backoff.delay(attempt: attempt))
            }
        }
        throw ClientError.closed
    }
}
