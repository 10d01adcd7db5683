/// A request read as far as routing requires. Its parameters are decoded after the method, and thereby their type, is known.
///
/// Every message takes this path, and maps and chats send many. The pass that checks the grammar also finds the members, so that a
/// decoder reads only the parameters.
public struct RawRequest: Sendable {
    public let method: String
    /// Nil for a notification, which gets no reply.
    public let id: RequestID?
    private let bytes: [UInt8]
    /// Range of the parameters; nil without parameters.
    private let params: Range<Int>?
    /// First fault in the parameters.
    private let fault: JSONFault?

    /// Reads a message in O(bytes).
    /// - Throws: ``RPCError``: `parseError` for text that is not JSON, `invalidRequest` for JSON that is not a request.
    public init(_ bytes: [UInt8]) throws {
        let object: (members: [JSONGrammar.Member], fault: JSONFault?)?
        do { object = try JSONGrammar.members(of: bytes) } catch { throw WireJSON.notJSON }
        guard let (members, fault) = object else {
            throw RPCError(.invalidRequest, "a request is an object with jsonrpc, method, params and id")
        }
        let values = try Values(members, of: bytes)
        // A fault in the parameters waits until they are decoded, so that the error has the request's id.
        if let fault, !(values.params?.contains(fault.index) ?? false) {
            throw fault.error(
                .invalidRequest, in: bytes, from: bytes.firstIndex(of: UInt8(ascii: "{")) ?? 0, whole: "request")
        }
        self.fault = fault
        guard let version = values.version, Self.text(bytes[version]) == "2.0" else {
            throw RPCError(.invalidRequest, #"jsonrpc must be "2.0""#, field: "jsonrpc")
        }
        guard let name = values.method, let method = Self.text(bytes[name]) else {
            throw RPCError(.invalidRequest, "method must be a string", field: "method")
        }
        id = try values.id.map { try Self.id(bytes[$0]) }
        params = values.params
        self.method = method
        self.bytes = bytes
    }

    /// Decodes the parameters; missing ones read as an empty object.
    /// - Throws: ``RPCError`` that names the faulty member.
    public func params<Params: Decodable>(_ type: Params.Type) throws -> Params {
        if let fault { throw fault.error(.invalidParams, in: bytes, from: params?.lowerBound ?? 0, whole: "params") }
        return try WireJSON.decode(type, fromJSON: params.map { bytes[$0] } ?? Self.empty[...], as: "params")
    }

    private static let empty = Array("{}".utf8)

    /// Ranges of a request's members.
    private struct Values {
        var version: Range<Int>?
        var method: Range<Int>?
        var id: Range<Int>?
        var params: Range<Int>?

        init(_ members: [JSONGrammar.Member], of bytes: [UInt8]) throws {
            for member in members {
                switch RawRequest.text(bytes[member.name]) {
                case "jsonrpc": try Self.set(&version, member, "jsonrpc")
                case "method": try Self.set(&method, member, "method")
                case "id": try Self.set(&id, member, "id")
                case "params": try Self.set(&params, member, "params")
                default: break
                }
            }
        }

        /// Rejects a second member with the same name, because an earlier reader of the message may have used the other one (RFC 8259 §4).
        private static func set(_ place: inout Range<Int>?, _ member: JSONGrammar.Member, _ name: String) throws {
            guard place == nil else {
                throw RPCError(.invalidRequest, "a request has each member once", field: name)
            }
            place = member.value
        }
    }

    /// Content of a string; nil for another value.
    private static func text(_ value: ArraySlice<UInt8>) -> String? {
        guard value.first == UInt8(ascii: "\"") else { return nil }
        let isPlain = !value.contains(UInt8(ascii: "\\"))
        return isPlain
            ? String(decoding: value.dropFirst().dropLast(), as: UTF8.self)
            : try? WireJSON.decode(String.self, fromJSON: value)
    }

    private static func id(_ value: ArraySlice<UInt8>) throws -> RequestID {
        if let number = Int64(String(decoding: value, as: UTF8.self)) { return .number(number) }
        if let text = text(value) { return .string(text) }
        guard let id = try? WireJSON.decode(RequestID.self, fromJSON: value) else {
            throw RPCError(.invalidRequest, "id must be a string, a whole number or null", field: "id")
        }
        return id
    }
}

extension RawRequest {
    /// Parameters of `positions.view`. A request in the usual form needs no decoder, because a moving map sends several each second.
    /// - Throws: As ``params(_:)``.
    public func viewParams() throws -> PositionsView.Params {
        try plainViewParams ?? params(PositionsView.Params.self)
    }

    private var plainViewParams: PositionsView.Params? {
        guard let members = plainMembers else { return nil }
        var found = PositionsView.Params(box: nil)
        for member in members {
            switch member.name {
            case "box":
                guard let numbers = JSONGrammar.elements(in: bytes, at: member.value.lowerBound) else { return nil }
                var box: [Double] = []
                for place in numbers {
                    guard let degrees = number(at: place) else { return nil }
                    box.append(degrees)
                }
                found.box = box
            case "zoom":
                guard let zoom = number(at: member.value) else { return nil }
                found.zoom = zoom
            case "encoding":
                guard let encoding = Self.text(bytes[member.value]).flatMap(PositionEncoding.init(rawValue:)) else {
                    return nil
                }
                found.encoding = encoding
            default: break
            }
        }
        return found
    }

    /// Parameters of `chat.send`. A request in the usual form needs no decoder.
    /// - Throws: As ``params(_:)``.
    public func sendParams() throws -> ChatSend.Params {
        try plainSendParams ?? params(ChatSend.Params.self)
    }

    private var plainSendParams: ChatSend.Params? {
        guard let members = plainMembers else { return nil }
        var (conversation, id): (Int64?, String?)
        var (text, picture, reply): (String?, String?, Int64?)
        for member in members {
            switch member.name {
            case "conversation": conversation = wholeNumber(at: member.value)
            case "id": id = Self.text(bytes[member.value])
            case "text":
                text = Self.text(bytes[member.value])
                guard text != nil else { return nil }
            case "picture":
                picture = Self.text(bytes[member.value])
                guard picture != nil else { return nil }
            case "reply":
                reply = wholeNumber(at: member.value)
                guard reply != nil else { return nil }
            default: break
            }
        }
        // The decoder produces the error for a number out of range.
        guard let conversation, let id, ObjectIDRange.allowed.contains(conversation),
            reply.map(LogOffsetRange.allowed.contains) ?? true
        else { return nil }
        return ChatSend.Params(conversation: conversation, id: id, text: text, picture: picture, reply: reply)
    }

    /// Members of the parameters; nil if a decoder must read them.
    private var plainMembers: [(name: String, value: Range<Int>)]? {
        guard fault == nil, let params, let members = JSONGrammar.members(in: bytes, at: params.lowerBound) else {
            return nil
        }
        var plain: [(name: String, value: Range<Int>)] = []
        for member in members {
            // For a duplicate name, the decoder decides which member counts.
            guard let name = Self.text(bytes[member.name]), !plain.contains(where: { $0.name == name }),
                plain.count < Self.plainMembersMax
            else { return nil }
            plain.append((name, member.value))
        }
        return plain
    }

    /// Limit above which the search for duplicate names takes longer than a decoder.
    private static let plainMembersMax = 8

    private func wholeNumber(at range: Range<Int>) -> Int64? {
        var number: Int64 = 0
        guard range.count <= 18 else { return nil }
        for byte in bytes[range] {
            guard (0x30...0x39).contains(byte) else { return nil }
            number = number * 10 + Int64(byte - 0x30)
        }
        return number
    }

    /// A finite number; nil for another value.
    private func number(at range: Range<Int>) -> Double? {
        guard let first = bytes[range].first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first),
            let number = Double(String(decoding: bytes[range], as: UTF8.self)),
            QuantityRange.allowed.contains(number)
        else { return nil }
        return number.normalised
    }
}
