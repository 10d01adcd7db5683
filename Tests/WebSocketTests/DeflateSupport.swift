import TestSupport
import Testing

@testable import WebSocket

extension DeflateConfiguration {
    /// Compresses every message, and keeps contexts as told.
    static func eager(send: Bool = false, receive: Bool = false, memoryBytesMax: Int = 1 << 20) -> DeflateConfiguration
    {
        var configuration = DeflateConfiguration()
        configuration.sendContextTakeover = send
        configuration.receiveContextTakeover = receive
        configuration.memoryBytesMax = memoryBytesMax
        configuration.messageBytesMin = 1
        configuration.level = 6
        return configuration
    }
}

extension DeflateAgreement {
    static func test(
        takeover: Bool = false, sendBits: UInt8 = 15, receiveBits: UInt8 = 15
    ) -> DeflateAgreement {
        DeflateAgreement(
            sendContextTakeover: takeover, receiveContextTakeover: takeover, sendWindowBits: sendBits,
            receiveWindowBits: receiveBits, configuration: .eager())
    }
}

/// What a server answers to these extensions, and what it means.
func negotiate(
    _ offers: String..., with configuration: DeflateConfiguration? = .eager()
) throws -> (answer: String?, agreement: DeflateAgreement?) {
    let fields = offers.map { "Sec-WebSocket-Extensions: \($0)\n" }.joined()
    let text = """
        GET / HTTP/1.1
        Host: a
        Upgrade: websocket
        Connection: Upgrade
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
        Sec-WebSocket-Version: 13
        \(fields)

        """
    let request = try #require(try request(text))
    guard
        case .accept(let bytes, _, let agreement) = ServerHandshake.respond(
            to: request, subprotocols: [], deflate: configuration)
    else { throw Refused() }
    return (try response(bytes).headers["Sec-WebSocket-Extensions"], agreement)
}

struct Refused: Error {}

func response(_ bytes: [UInt8]) throws -> HTTPResponse {
    var parser = HTTPResponseParser()
    bytes.withUnsafeBytes { parser.append($0) }
    return try #require(try parser.next())
}

/// What a client and a server agree on, each as it sees it.
func handshake(
    client: DeflateConfiguration, server: DeflateConfiguration
) throws -> (client: DeflateAgreement?, server: DeflateAgreement?) {
    let opening = ClientHandshake(host: "a", path: "/", deflate: client)
    var parser = HTTPRequestParser()
    opening.request.withUnsafeBytes { parser.append($0) }
    let request = try #require(try parser.next())
    guard
        case .accept(let bytes, _, let agreement) = ServerHandshake.respond(
            to: request, subprotocols: [], deflate: server)
    else { throw Refused() }
    return (try opening.verify(try response(bytes)).deflate, agreement)
}

/// A client's frame of a compressed message.
func compressed(_ opcode: Opcode, _ payload: [UInt8], isFinal: Bool = true) -> [UInt8] {
    masked(opcode, payload, isFinal: isFinal, reservedBits: opcode == .continuation ? 0 : 0x40)
}

/// The payload of a message compressed by itself, also where that makes it longer.
func deflate(_ message: [UInt8], windowBits: UInt8 = 15) throws -> [UInt8] {
    let deflater = try #require(
        Deflater(Deflater.Settings(windowBits: windowBits, memoryLevel: 8, level: 6)))
    return try #require(deflate(message, by: deflater))
}

func deflate(_ message: [UInt8], by deflater: Deflater) -> [UInt8]? {
    var output = [UInt8](repeating: 0, count: message.count + Deflater.tailBytes)
    let count = message.withUnsafeBytes { message in
        output.withUnsafeMutableBytes { deflater.compress(message, into: $0) }
    }
    return count.map { Array(output[..<$0]) }
}

/// Words in an order that repeats at every distance.
func prose(_ count: Int, seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    let words = (0..<200).map { _ in
        Array(
            "abcdefghijklmnopqrstuvwxyz-öß".unicodeScalars.shuffled(using: &generator).prefix(7).map(String.init)
                .joined())
    }
    var bytes: [UInt8] = []
    while bytes.count < count { bytes += words[Int.random(in: 0..<words.count, using: &generator)] }
    while bytes.count > count || bytes.last.map({ $0 >= 0x80 }) == true { bytes.removeLast() }
    return bytes + [UInt8](repeating: 0x2E, count: count - bytes.count)
}

/// Bytes that no compression makes smaller.
func noise(_ count: Int, seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
}
