import Foundation

/// A request's id: a string, a whole number, or null (JSON-RPC 2.0 §4).
public enum RequestID: Sendable, Hashable, Codable {
    case number(Int64)
    case string(String)
    case null

    /// Reads the wire form.
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

    /// Writes the wire form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .string(let text): try container.encode(text)
        case .null: try container.encodeNil()
        }
    }
}

/// A method's name and the types of its parameters and result, shared by server and clients.
public protocol RPCMethod: Sendable {
    /// What the caller gives.
    associatedtype Params: Codable & Sendable
    /// What it gets.
    associatedtype Result: Codable & Sendable
    /// `area.verb`.
    static var name: String { get }
    /// Who may call it. There is no default: whoever adds a method decides.
    static var access: MethodAccess { get }
}

/// Parameters or a result without members.
public struct Empty: Codable, Sendable, Equatable {
    /// Nothing.
    public init() {}
}

/// A whole request of a known type, as a client sends it.
public struct Request<Params: Codable & Sendable>: Codable, Sendable {
    /// Always `2.0`.
    public var jsonrpc = "2.0"
    /// The caller's number for the reply.
    public var id: RequestID?
    /// The method's name.
    public var method: String
    /// The method's parameters.
    public var params: Params

    /// - Parameters:
    ///   - id: The caller's number for the reply.
    ///   - method: The method's name.
    ///   - params: Its parameters.
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
    /// The request's id.
    public var id: RequestID
    /// What the method gives.
    public var result: Result

    /// - Parameters:
    ///   - id: The request's id.
    ///   - result: What the method gives.
    public init(id: RequestID, result: Result) {
        self.id = id
        self.result = result
    }
}

/// A reply with an error.
public struct Failure: Codable, Sendable {
    /// Always `2.0`.
    public var jsonrpc = "2.0"
    /// The request's id, or null when it could not be read.
    public var id: RequestID
    /// What went wrong.
    public var error: RPCError

    /// - Parameters:
    ///   - id: The request's id, or null when it could not be read.
    ///   - error: What went wrong.
    public init(id: RequestID, error: RPCError) {
        self.id = id
        self.error = error
    }
}

/// A server's push to the subscribers of a topic.
public struct Push<Data: Codable & Sendable>: Codable, Sendable {
    /// The topic and what happened on it.
    public struct Params: Codable, Sendable {
        /// Such as `zone/7/positions`.
        public var topic: String
        /// Of a reliable topic.
        public var epoch: Int64?
        /// The publication's place in a reliable topic.
        public var offset: Int64?
        /// Ahead of what is held back: it moves no position, and may come again.
        public var early: Bool?
        /// What happened.
        public var data: Data
    }
    /// Always `2.0`.
    public var jsonrpc = "2.0"
    /// Always `push`.
    public var method = "push"
    /// The topic and what happened on it.
    public var params: Params

    /// - Parameters:
    ///   - topic: The topic.
    ///   - data: What happened.
    public init(topic: String, data: Data) { params = Params(topic: topic, data: data) }
}

/// The one way JSON is written and read on the wire.
public enum WireJSON {
    /// Values in one message, four times what the largest request has: a decoder makes an object of each, and of half a
    /// million in a megabyte would take a tenth of a second.
    public static let valuesMax = 20_000

    /// Refuses a message of more than ``valuesMax`` values before a decoder sees it. Commas and opening brackets are counted,
    /// also those in strings. O(bytes), a fraction of a millisecond a megabyte.
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

    /// Encodes compactly, slashes unescaped. A new encoder each time: encoders are not `Sendable` and cheap beside the work.
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return Array(try encoder.encode(value))
    }

    /// Decodes; throws ``RPCError`` that names the member at fault, or says that it is not JSON.
    public static func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T {
        guard JSONGrammar.holds(for: bytes) else { throw notJSON }
        return try decode(type, fromJSON: bytes[...])
    }

    /// Decodes what is known to be JSON. A new decoder each time, as with ``encode(_:)``.
    /// - Parameter name: What the value is called in errors.
    static func decode<T: Decodable>(_ type: T.Type, fromJSON bytes: ArraySlice<UInt8>, as name: String = "") throws
        -> T
    {
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch let error as DecodingError {
            // It is JSON: what the decoder then calls corrupt without saying where is a number that does not fit its type.
            if case .dataCorrupted(let context) = error, context.codingPath.isEmpty {
                throw RPCError(
                    .invalidParams, "a number is out of range, or has a fraction where a whole number is needed")
            }
            throw RPCError(error, in: name)
        }
    }

    /// Splits a batch (JSON-RPC 2.0 §6) into its requests, each with the bytes it was sent with.
    /// - Parameter countMax: More is an error.
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
