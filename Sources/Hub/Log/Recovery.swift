import Wire

/// What a subscriber of a reliable topic is answered; pushes follow it without gap or repetition. On the wire it is
/// `Resumed`.
public struct Recovery: Sendable, Equatable {
    /// The topic.
    public let topic: Topic
    /// Where the subscriber stands with it.
    public var position: TopicPosition
    /// True when `publications` are all that came since the position that it gave.
    public var isRecovered: Bool
    /// Why not; nil also when it gave none.
    public var failure: RecoveryFailure?
    /// Nothing is pushed yet: it must subscribe again from `position`.
    public var hasMore = false
    /// In the order of their offsets.
    public var publications: [StoredPublication]

    /// The reply's `result`, in which publications are as they were stored. O(bytes).
    public var json: [UInt8] {
        var json = LogJSON(bytesExpected: publications.reduce(256) { $0 + $1.data.count + 32 })
        json.add("{\"topic\":\"\(topic)\",\"epoch\":\(position.epoch),\"offset\":\(position.offset)")
        json.add(",\"recovered\":\(isRecovered)")
        if let failure { json.add(",\"reason\":\"\(failure.rawValue)\"") }
        if hasMore { json.add(",\"more\":true") }
        json.add(",\"publications\":")
        json.add(publications)
        json.add("}")
        return json.bytes
    }
}

/// JSON around data that is JSON already. Topics' names need no escapes.
public struct LogJSON: Sendable {
    /// What was added.
    public private(set) var bytes: [UInt8] = []

    /// Nothing yet.
    public init(bytesExpected: Int) { bytes.reserveCapacity(bytesExpected) }

    /// Adds JSON as it is.
    public mutating func add(_ json: String) { bytes.append(contentsOf: json.utf8) }

    /// Adds JSON as it is.
    public mutating func add(_ json: [UInt8]) { bytes.append(contentsOf: json) }

    /// Adds an array of publications.
    public mutating func add(_ publications: [StoredPublication]) {
        add("[")
        for (index, publication) in publications.enumerated() {
            add("\(index == 0 ? "" : ","){\"offset\":\(publication.offset),\"data\":")
            add(publication.data)
            add("}")
        }
        add("]")
    }

    /// A push of one publication.
    static func push(_ publication: StoredPublication, topic: Topic, epoch: Int64) -> [UInt8] {
        var json = LogJSON(bytesExpected: publication.data.count + 160)
        json.add("{\"jsonrpc\":\"2.0\",\"method\":\"push\",\"params\":{\"topic\":\"\(topic)\",\"epoch\":\(epoch)")
        json.add(",\"offset\":\(publication.offset),\"data\":")
        json.add(publication.data)
        json.add("}}")
        return json.bytes
    }
}
