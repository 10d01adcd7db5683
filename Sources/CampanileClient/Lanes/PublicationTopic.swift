import Foundation
import Wire

/// A reliable topic, with the type of its publications.
public struct PublicationTopic<Data: Codable & Sendable>: Sendable {
    /// The topic's name in the protocol, such as `campus/notices`.
    public let path: String
    /// Whether the subscriber receives only some publications, and some of them early, without an offset.
    let isSparse: Bool

    /// Creates a topic that this library does not define, such as one of a newer server.
    public init(path: String) { self.init(path: path, isSparse: false) }

    init(path: String, isSparse: Bool) { (self.path, self.isSparse) = (path, isSparse) }
}

extension PublicationTopic where Data == NoticeEvent {
    /// Notices for the signed-in account; see ``ResilientClient/notices(since:acknowledges:)``.
    static var notices: PublicationTopic { PublicationTopic(path: "notices", isSparse: true) }

    /// Notices for the whole campus, open to guests too.
    public static var campusNotices: PublicationTopic { PublicationTopic(path: "campus/notices") }

    /// Notices for the people in one zone.
    public static func notices(zone: Int64) -> PublicationTopic { PublicationTopic(path: "zone/\(zone)/notices") }
}

extension PublicationTopic where Data == TestPublication {
    /// A topic for measurements, on servers with test endpoints.
    /// - Parameter number: 1 to 1,000.
    public static func test(_ number: Int) -> PublicationTopic { PublicationTopic(path: "test/\(number)") }
}

/// Event of a reliable topic, in order.
public enum PublicationEvent<Data: Codable & Sendable>: Sendable {
    /// The next publication. Keep `position`: ``ResilientClient/publications(of:since:)`` with it resumes after this publication.
    case publication(Data, position: TopicPosition)
    /// Some publications since the reader's position are lost, for the given reason. Discard all state of the topic; its newest
    /// publications follow.
    case lost(RecoveryFailure)
}

extension PublicationEvent: Equatable where Data: Equatable {}

extension ResilientClient {
    /// Publishes on a test topic, on servers with test endpoints. Retries use the same `id`, so the data is published once.
    /// - Returns: The publication's position, after its commit.
    @discardableResult
    public func publish(
        test data: String, to topic: PublicationTopic<TestPublication>,
        id: String = UUID().uuidString.lowercased()
    ) async throws -> Published {
        try await untilAnswered(TestPublish.self, TestPublish.Params(topic: topic.path, id: id, data: data))
    }

    /// Repeats an idempotent request until the server returns a result or an error that a retry would not change.
    func untilAnswered<M: RPCMethod>(_ method: M.Type, _ params: M.Params) async throws -> M.Result {
        for attempt in 0... {
            try Task.checkCancellation()
            let connection = try await connected()
            do {
                return try await connection.call(method, params)
            } catch let error as RPCError where error.registered?.isRetryable == true {
                await loop.sleep(for: error.retryDelay ?? options.backoff.delay(attempt: attempt))
            } catch ClientError.disconnected {
                // Retry on the next connection.
            } catch ClientError.timeout {
                // Retry. The late reply would have the same content.
            } catch ClientError.tooManyCalls {
                await loop.sleep(for: options.backoff.delay(attempt: attempt))
            }
        }
        throw ClientError.closed
    }
}
