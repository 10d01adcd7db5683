import TestSupport
import Testing

@testable import WebSocket

@Suite("Compressed messages sent (RFC 7692 §6.1 and §7.2.1)")
struct DeflateSendTests {
    /// A peer that keeps exactly the window that was agreed on: what it decompresses, a byte at a time, can refer no further.
    private final class StrictPeer {
        private let inflater: Inflater
        private let bits: UInt8
        private let keepsContext: Bool
        private var window: [UInt8] = []

        init(bits: UInt8, keepsContext: Bool) throws {
            inflater = try #require(Inflater(windowBits: bits))
            self.bits = bits
            self.keepsContext = keepsContext
        }

        /// The message in a server's frame; nil when it cannot be read.
        func read(_ frame: [UInt8]) throws -> [UInt8]? {
            let header = try #require(
                try frame.withUnsafeBytes { bytes in try FrameHeader(bytes, from: .server, extensions: .deflate) })
            let payload = Array(frame[header.headerBytes...])
            guard header.isCompressed else { return payload }
            guard inflater.begin(windowBits: bits, window: keepsContext ? window : []) else { return nil }
            var message: [UInt8] = []
            let isWhole = payload.withUnsafeBytes { payload -> Bool in
                var input = payload
                return inflate(&input, to: &message)
            }
            guard isWhole, inflater.finish() else { return nil }
            window = inflater.window()
            return message
        }

        private func inflate(_ input: inout UnsafeRawBufferPointer, to message: inout [UInt8]) -> Bool {
            var byte: UInt8 = 0
            while true {
                var isEmpty = true
                let progress = withUnsafeMutableBytes(of: &byte) { space in
                    var output = space
                    let progress = inflater.inflate(&input, into: &output)
                    isEmpty = output.count == space.count
                    return progress
                }
                if !isEmpty { message.append(byte) }
                switch progress {
                case .needsInput: return true
                case .outputIsFull: continue
                case .corrupt, .outOfMemory: return false
                }
            }
        }
    }

    @Test(
        "every window can be sent for and is never exceeded, with and without context takeover (§7.1.2)",
        arguments: UInt8(8)...15, [false, true])
    func windows(bits: UInt8, takeover: Bool) throws {
        var connection = WebSocketConnection(role: .server, deflate: .test(takeover: takeover, sendBits: bits))
        let peer = try StrictPeer(bits: bits, keepsContext: takeover)
        let long = prose((2 << Int(bits)) + 400, seed: UInt64(bits))
        for message in [prose(200, seed: 1), long, prose(200, seed: 1), [UInt8](repeating: 0x61, count: 2000)] {
            let frame = connection.textFrame(message)
            #expect(frame[0] == 0xC1 && frame.count < message.count)
            #expect(try peer.read(frame) == message)
        }
    }

    @Test("with context takeover a repeated message is a few bytes, without it is not (§7.1.1)")
    func context() {
        let message = prose(1000, seed: 1)
        var keeping = WebSocketConnection(role: .server, deflate: .test(takeover: true))
        let sizes = (0..<3).map { _ in keeping.textFrame(message).count }
        #expect(sizes[0] > 100 && sizes[1] < 20 && sizes[2] < 20)
        var forgetting = WebSocketConnection(role: .server, deflate: .test())
        let frames = (0..<3).map { _ in forgetting.textFrame(message) }
        #expect(frames[0] == frames[1] && frames[0] == frames[2])
    }

    @Test("messages below the minimum, above the maximum, or that do not shrink are sent as they are (§6)")
    func notWorthIt() throws {
        var configuration = DeflateConfiguration.eager(send: true, receive: true)
        configuration.messageBytesMin = 100
        configuration.messageBytesMax = 5000
        let agreement = try #require(try negotiate("permessage-deflate", with: configuration).agreement)
        var connection = WebSocketConnection(role: .server, deflate: agreement)
        let plain = [
            [UInt8](repeating: 0x61, count: 99), [UInt8](repeating: 0x61, count: 5001), noise(1000, seed: 1),
            noise(4000, seed: 2),
            [],
        ]
        for message in plain {
            let frame = connection.binaryFrame(message)
            #expect(frame == FrameEncoder.binary(message))
        }
        let frame = connection.binaryFrame([UInt8](repeating: 0x61, count: 100))
        #expect(frame[0] == 0xC2 && frame.count < 20)
    }

    @Test("a message that did not shrink leaves no trace in the context")
    func abandoned() throws {
        var server = WebSocketConnection(role: .server, deflate: .test(takeover: true))
        let peer = try StrictPeer(bits: 15, keepsContext: true)
        let noise = noise(3000, seed: 4)
        for message in [prose(500, seed: 1), noise, noise + noise, prose(500, seed: 1), noise] {
            #expect(try peer.read(server.binaryFrame(message)) == message)
        }
    }

    @Test("a client's compressed frames are masked (RFC 6455 §5.3), and both sides read each other with any parameters")
    func bothWays() throws {
        for bits in UInt8(0)..<16 {
            for windows in [(15, 15), (9, 8), (12, 10)] as [(UInt8, UInt8)] {
                var wanted = DeflateConfiguration.eager(send: bits & 1 != 0, receive: bits & 2 != 0)
                (wanted.sendWindowBitsMax, wanted.receiveWindowBitsMax) = windows
                let agreed = try handshake(
                    client: wanted, server: .eager(send: bits & 4 != 0, receive: bits & 8 != 0))
                var client = WebSocketConnection(role: .client, deflate: agreed.client)
                var server = WebSocketConnection(role: .server, deflate: agreed.server)
                for number in 0..<4 {
                    let message = prose(300 * (number + 1), seed: UInt64(number % 2))
                    let up = client.textFrame(message)
                    let down = server.binaryFrame(message)
                    let (atServer, atClient) = (server.events(up), client.events(down))
                    #expect(up[0] == 0xC1 && up[1] & 0x80 != 0 && atServer == [.text(message)])
                    #expect(down[0] == 0xC2 && atClient == [.binary(message)])
                }
            }
        }
    }

    @Test("a client without an agreement masks what it sends, and a server does not (RFC 6455 §5.1)")
    func plain() {
        var client = WebSocketConnection(role: .client)
        #expect(receive(client.textFrame(Array("a"))).events == [.text(Array("a"))])
        var server = WebSocketConnection(role: .server)
        #expect(server.binaryFrame([1]) == [0x82, 1, 1])
    }

    @Test("an idle connection holds nothing, and with context takeover no more than was agreed")
    func idleMemory() throws {
        #expect(MemoryLayout<WebSocketConnection>.size <= 160)
        var connection = WebSocketConnection(role: .server, deflate: .test())
        let message = prose(1000, seed: 1)
        _ = connection.textFrame(message)
        let payload = try deflate(message)
        let events = connection.events(compressed(.text, payload))
        #expect(events == [.text(message)])
        #expect(connection.contexts == nil && connection.partial == nil)
        // In pieces: there while the message is, gone with it.
        let first = connection.events(compressed(.text, Array(payload[..<9]), isFinal: false) + [0x80])
        #expect(first.isEmpty && connection.partial != nil)
        let rest = connection.events(Array(masked(.continuation, Array(payload[9...])).dropFirst()))
        #expect(rest == [.text(message)] && connection.partial == nil && connection.contexts == nil)

        var keeping = WebSocketConnection(role: .server, deflate: .test(takeover: true))
        #expect(keeping.contexts == nil)
        _ = keeping.events(compressed(.text, payload))
        #expect(keeping.contexts?.receiveWindow == message)
        _ = keeping.textFrame(message)
        #expect(keeping.contexts?.compressor != nil)
        keeping.releaseCompressor()
        #expect(keeping.contexts?.compressor == nil)
    }
}

@Suite("Broadcasts compressed once (RFC 7692 §7.1.1)")
struct BroadcastTests {
    @Test("all who share a window share the bytes, and a plain connection gets the plain frame")
    func sharing() {
        let message = prose(5000, seed: 1)
        let broadcast = BroadcastMessage(text: message)
        var plain = WebSocketConnection(role: .server)
        #expect(plain.frame(of: broadcast) == FrameEncoder.text(message))
        for bits in UInt8(8)...15 {
            var one = WebSocketConnection(role: .server, deflate: .test(sendBits: bits))
            var other = WebSocketConnection(role: .server, deflate: .test(takeover: true, sendBits: bits))
            let (first, second) = (one.frame(of: broadcast), other.frame(of: broadcast))
            #expect(first[0] == 0xC1 && first.count < message.count)
            // The same storage: nothing was made for the second.
            #expect(first.withUnsafeBytes { $0.baseAddress } == second.withUnsafeBytes { $0.baseAddress })
            var client = WebSocketConnection(role: .client, deflate: .test(receiveBits: bits))
            let events = client.events(first)
            #expect(events == [.text(message)])
        }
    }

    @Test("a short message is the same for every window that holds it")
    func shortMessage() {
        let broadcast = BroadcastMessage(binary: prose(250, seed: 1))
        let addresses = (UInt8(8)...15).map { bits in
            var connection = WebSocketConnection(role: .server, deflate: .test(sendBits: bits))
            return connection.frame(of: broadcast).withUnsafeBytes { $0.baseAddress }
        }
        #expect(Set(addresses).count == 1)
    }

    @Test("what is too short or does not shrink is shared as the plain frame")
    func notWorthIt() throws {
        var configuration = DeflateConfiguration.eager()
        configuration.messageBytesMin = 100
        let agreement = try #require(try negotiate("permessage-deflate", with: configuration).agreement)
        var connection = WebSocketConnection(role: .server, deflate: agreement)
        for message in [[UInt8](repeating: 0x61, count: 99), noise(500, seed: 1)] {
            let broadcast = BroadcastMessage(binary: message)
            for _ in 0..<2 {
                let frame = connection.frame(of: broadcast)
                #expect(frame == FrameEncoder.binary(message))
            }
        }
    }

    @Test("a peer that keeps its context reads shared and own messages in any order")
    func interleaved() throws {
        var generator = SeededGenerator(seed: 5)
        var server = WebSocketConnection(role: .server, deflate: .test(takeover: true))
        var client = WebSocketConnection(role: .client, deflate: .test(takeover: true))
        // Few different messages, so that own ones refer to what was there before, if they may.
        let messages = (0..<4).map { prose(600, seed: $0) } + [noise(300, seed: 9)]
        let broadcasts = messages.map { BroadcastMessage(binary: $0) }
        var shortFrames = 0
        for _ in 0..<400 {
            let index = Int.random(in: 0..<messages.count, using: &generator)
            let frame: [UInt8]
            switch Int.random(in: 0..<12, using: &generator) {
            case 0..<3: frame = server.frame(of: broadcasts[index])
            case 3: frame = FrameEncoder.binary(messages[index])
            case 4:
                server.releaseCompressor()
                continue
            default: frame = server.binaryFrame(messages[index])
            }
            shortFrames += frame.count < 40 ? 1 : 0
            let events = client.events(frame)
            try #require(events == [.binary(messages[index])])
        }
        // The context is still of use in between.
        #expect(shortFrames > 20)
    }

    @Test("a client, who masks each frame afresh, has nothing to share (RFC 6455 §5.3)")
    func clientRole() {
        let broadcast = BroadcastMessage(text: prose(500, seed: 1))
        var client = WebSocketConnection(role: .client, deflate: .test())
        let frame = client.frame(of: broadcast)
        #expect(receive(frame, deflate: .test()).events == [.text(prose(500, seed: 1))])
    }
}
