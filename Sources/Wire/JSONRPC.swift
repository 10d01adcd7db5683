import Foundation

/// Id of a request: a string, an integer or null (JSON-RPC 2.0 §4).
public enum RequestID: Sendable, Hashable, Codable {
    case number(Int64)
    case string(String)
    case null

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let number = try? container.decode(Int64.self) {
            self = .number(number)
        } else {
            self = .string(try container.decode(String.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .string(let text): try container.encode(text)
        case .null: try container.encodeNil()
        }
    }
}

/// Parameters or a result without members.
public struct Empty: Codable, Sendable, Equatable {
    public init() {}
}

/// A request with parameters of a known type, as a client sends it.
public struct Request<Params: Codable & Sendable>: Codable, Sendable {
    /// Always `2.0`.
    public var jsonrpc = "2.0"
    /// Id that the reply repeats.
    public var id: RequestID?
    public var method: String
    public var params: Params

    /// - Parameter id: Id that the reply repeats; nil for a notification.
    public init(id: RequestID?, method: String, params: Params) {
        self.id = id
        self.method = method
        self.params = params
    }
}

/// A reply with a result.
public struct Success<Result: Codable & Sendable>: Codable, Sendable {
    /// Always `2.0`.
    public var jsonrpc = "2.0"
    /// Id of the request.
    public var id: RequestID
    public var result: Result

    public init(id: RequestID, result: Result) {
        self.id = id
        self.result = result
    }
}

/// A reply with an error.
public struct Failure: Codable, Sendable {
    /// Always `2.0`.
    public var jsonrpc = "2.0"
    /// Id of the request; null if the server could not read it.
    public var id: RequestID
    public var error: RPCError

    /// - Parameter id: Id of the request; null if the server could not read it.
    public init(id: RequestID, error: RPCError) {
        self.id = id
        self.error = error
    }
}

/// A publication that the server sends to a subscriber of a topic.
public struct Push<Data: Codable & Sendable>: Codable, Sendable {
    public struct Params: Codable, Sendable {
        /// Name of the topic, such as `zone/7/positions`.
        public var topic: String
        /// Epoch of a reliable topic.
        public var epoch: Int64?
        /// Offset of the publication in a reliable topic.
        public var offset: Int64?
        /// True for a publication sent ahead of withheld ones. It does not advance the subscriber's offset and may arrive again.
        public var early: Bool?
        public var data: Data
    }
    /// Always `2.0`.
    public var jsonrpc = "2.0"
    /// Always `push`.
    public var method = "push"
    public var params: Params

    public init(topic: String, data: Data) { params = Params(topic: topic, data: data) }
}

/// Encoder and decoder of the JSON messages of the protocol.
public enum WireJSON {
    /// Highest number of values in a message, four times that of the largest request. A decoder allocates an object for each value: half a
    /// million values in 1 MB would take 100 ms.
    public static let valuesMax = 20_000

    /// Checks that a message has at most ``valuesMax`` values. It counts commas and opening brackets, including those in strings, in
    /// O(bytes): a fraction of a millisecond for 1 MB.
    /// - Throws: ``RPCError`` `invalidRequest`.
    public static func checkValues(_ bytes: [UInt8]) throws {
        guard bytes.count > valuesMax else { return }
        var count = 0
        for byte in bytes {
            let starts = byte == UInt8(ascii: ",") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{")
            count &+= starts ? 1 : 0
        }
        guard count <= valuesMax else {
            throw RPCError(.invalidRequest, "a message holds at most \(valuesMax) values")
        }
    }

    /// Encodes a value compactly, with unescaped slashes. Each call creates an encoder, because encoders are not `Sendable` and are cheap.
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return Array(try encoder.encode(value))
    }

    /// Decodes a value.
    /// - Throws: ``RPCError`` that names the faulty member or states that the bytes are not JSON.
    public static func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T {
        guard JSONGrammar.holds(for: bytes) else { throw notJSON }
        return try decode(type, fromJSON: bytes[...])
    }

    /// Decodes valid JSON. Each call creates a decoder, as in ``encode(_:)``.
    /// - Parameter name: Name of the value in errors.
    static func decode<T: Decodable>(_ type: T.Type, fromJSON bytes: ArraySlice<UInt8>, as name: String = "") throws
        -> T
    {
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch let error as DecodingError {
            // The text is valid JSON, so a `dataCorrupted` error without a path means a number that does not fit its type.
            if case .dataCorrupted(let context) = error, context.codingPath.isEmpty {
                throw RPCError(
                    .invalidParams, "a number is out of range, or has a fraction where a whole number is needed")
            }
            throw RPCError(error, in: name)
        }
    }

    /// Splits a batch (JSON-RPC 2.0 §6) into the bytes of its requests.
    /// - Parameter countMax: Highest number of requests; a larger batch is an error.
    public static func splitBatch(_ bytes: [UInt8], countMax: Int) throws -> [[UInt8]] {
        guard let elements = JSONGrammar.elements(of: bytes) else { throw notJSON }
        guard !elements.isEmpty else { throw RPCError(.invalidRequest, "a batch holds at least one request") }
        guard elements.count <= countMax else {
            throw RPCError(.invalidRequest, "a batch holds at most \(countMax) requests")
        }
        return elements.map { Array(bytes[$0]) }
    }

    static var notJSON: RPCError { RPCError(.parseError, "the message is not JSON") }
}
