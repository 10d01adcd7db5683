import HubCore
import Wire

/// Result of a subscription to a reliable topic; pushes follow it without gap or repetition. On the wire it is `Resumed`.
public struct Recovery: Sendable, Equatable {
    public let topic: Topic
    /// The subscriber's position after the recovery.
    public var position: TopicPosition
    /// Whether `publications` are all that came since the subscriber's earlier position.
    public var isRecovered: Bool
    /// Reason why not; nil also when the subscriber had no position.
    public var failure: RecoveryFailure?
    /// Nothing is pushed yet: the subscriber must subscribe again from `position`.
    public var hasMore = false
    /// In the order of their offsets.
    public var publications: [StoredPublication]

    /// The reply's `result`, with publications as they were stored. O(bytes).
    public var json: [UInt8] {
        var json = JSONText(bytesExpected: publications.reduce(256) { $0 + $1.data.count + 32 })
        json.add("{\"topic\":", topic)
        json.add(",\"epoch\":", position.epoch)
        json.add(",\"offset\":", position.offset)
        json.add(",\"recovered\":", isRecovered)
        if let failure { json.add(",\"reason\":", string: failure.rawValue) }
        if hasMore { json.add(",\"more\":true") }
        json.add(",\"publications\":")
        json.add(publications)
        json.add("}")
        return json.bytes
    }
}

extension JSONText {
    /// Adds an array of publications, whose data is JSON already.
    public mutating func add(_ publications: [StoredPublication]) {
        for (index, publication) in publications.enumerated() {
            add(index == 0 ? "[{\"offset\":" : ",{\"offset\":", publication.offset)
            add(",\"data\":")
            add(publication.data)
            add("}")
        }
        if publications.isEmpty { add("[]") } else { add("]") }
    }

    /// Adds a topic's name in quotation marks; it needs no escapes.
    public mutating func add(_ json: StaticString, _ topic: Topic) {
        add(json)
        add("\"")
        add(plain: topic.description)
        add("\"")
    }

    /// A push of one publication.
    static func push(_ publication: StoredPublication, topic: Topic, epoch: Int64) -> [UInt8] {
        var json = JSONText(bytesExpected: publication.data.count + 160)
        json.add("{\"jsonrpc\":\"2.0\",\"method\":\"push\",\"params\":{\"topic\":", topic)
        json.add(",\"epoch\":", epoch)
        json.add(",\"offset\":", publication.offset)
        json.add(",\"data\":")
        json.add(publication.data)
        json.add("}}")
        return json.bytes
    }

    /// A push of data without an offset.
    static func push(_ data: [UInt8], topic: Topic) -> [UInt8] {
        var json = JSONText(bytesExpected: data.count + 96)
        json.add("{\"jsonrpc\":\"2.0\",\"method\":\"push\",\"params\":{\"topic\":", topic)
        json.add(",\"data\":")
        json.add(data)
        json.add("}}")
        return json.bytes
    }
}
