import DequeModule

/// Requests of one connection that wait to be decoded and handled, one at a time, in order. Its bounds slow the peer down: see
/// ``SessionIntake``.
struct RequestQueue {
    /// Number of waiting requests at which the session stops decoding and reading.
    static let countMax = 64
    /// Number of bytes of waiting requests at which the session stops decoding. The last request may have the full message size.
    static let bytesMax = 262_144

    /// A request before decoding.
    struct Request {
        let bytes: [UInt8]
        let isBinary: Bool
    }

    private var waiting = Deque<Request>()
    private var bytes = 0
    /// Whether a request is in flight.
    private(set) var isBusy = false

    var hasRoom: Bool { waiting.count < Self.countMax && bytes < Self.bytesMax }
    var isEmpty: Bool { waiting.isEmpty }
    /// Whether no request waits and none is in flight.
    var isIdle: Bool { !isBusy && waiting.isEmpty }

    mutating func append(_ request: Request) {
        waiting.append(request)
        bytes += request.bytes.count
    }

    /// The next request, which is in flight until ``finish()``; nil if there is none or one is in flight.
    mutating func next() -> Request? {
        guard !isBusy, let request = waiting.popFirst() else { return nil }
        bytes -= request.bytes.count
        isBusy = true
        return request
    }

    mutating func finish() { isBusy = false }

    mutating func removeAll() {
        waiting = []
        bytes = 0
    }
}
