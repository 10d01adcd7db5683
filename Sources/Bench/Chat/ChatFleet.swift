import Foundation
import Glibc
import WebSocket
import Wire

/// The clients of ``ChatScenario``: two per conversation, with one connection each. Not thread-safe: one thread drives
/// it.
final class ChatFleet {
    /// Numbers since ``beginCounting()``.
    struct Counts {
        var sent = 0
        var acknowledged = 0
        /// Messages that arrived at the other side.
        var shown = 0
        var refused = 0
    }

    private final class Writer {
        let client: RaceClient
        let conversation: Int64
        /// Time at which the message in flight was sent; 0 if there is none.
        var sentAt: UInt64 = 0
        /// Id of the client's account, which also receives its own messages.
        var account: Int64 = 0
        /// Offset of the newest received event.
        var offset: Int64 = 0
        /// True if the next message is sent as soon as the last one is acknowledged.
        var goesOn = false

        init(_ client: RaceClient, conversation: Int64) {
            self.client = client
            self.conversation = conversation
        }
    }

    private static let text = String(repeating: "Shall we meet at the track at seven? ", count: 3)
    private static let pollMilliseconds: Int32 = 1

    private let load = LoadLoop()
    private var writers: [Writer] = []
    private var bySocket: [Int32: Writer] = [:]
    private var next = 0
    private(set) var counts = Counts()
    private(set) var acknowledgedInAll = 0
    private(set) var outOfOrder = 0
    /// True while the clients are subscribed to their conversations and signals.
    private(set) var isListening = true
    private(set) var latency = LatencyHistogram()
    private(set) var acknowledgement = LatencyHistogram()

    var count: Int { writers.count }

    init(conversations: [Int64], _ server: MeasuredServer) throws {
        for (index, conversation) in conversations.enumerated() {
            for side in 0..<2 {
                let writer = try connect(index * 2 + side, conversation, server)
                writers.append(writer)
                bySocket[writer.client.socket.descriptor] = writer
            }
        }
    }

    private func connect(_ index: Int, _ conversation: Int64, _ server: MeasuredServer) throws -> Writer {
        let socket = try LoadSocket(port: server.port, tls: server.tls, source: UInt16(1 + index / 1_000))
        try socket.upgrade(path: "/ws")
        let client = RaceClient(socket)
        client.send(
            request: Hello.self,
            .init(token: IdleScenario.token(index), client: .init(name: "campanile bench", version: "1")))
        load.add(socket)
        let account = try client.awaitReply(to: Hello.self, load).account
        let writer = Writer(client, conversation: conversation)
        writer.account = account?.id ?? 0
        client.send(method: "subscribe", params: Array("{\"topic\":\"chat/\(conversation)\"}".utf8))
        writer.offset = try client.awaitReply(Resumed<ChatEvent>.self, to: Subscribe.name, load).offset
        client.send(method: "subscribe", params: Array("{\"topic\":\"user/\(account?.id ?? 0)\"}".utf8))
        _ = try client.awaitReply(to: Unsubscribe.self, load)
        return writer
    }

    /// Unsubscribes all clients, so that they receive only answers.
    func stopListening() throws {
        for writer in writers {
            for topic in ["chat/\(writer.conversation)", "user/\(writer.account)"] {
                writer.client.send(method: Unsubscribe.name, params: Array("{\"topic\":\"\(topic)\"}".utf8))
                _ = try writer.client.awaitReply(to: Unsubscribe.self, load)
            }
        }
        isListening = false
    }

    /// Resets the counters.
    func beginCounting() {
        counts = Counts()
        latency = LatencyHistogram()
        acknowledgement = LatencyHistogram()
    }

    // MARK: Writing

    /// Sends messages at a steady rate, with the writers in rotation.
    func write(perSecond: Double, seconds: Double) {
        let start = LoadLoop.now
        var due = 0
        while true {
            let passed = Double(LoadLoop.now - start) / 1e9
            guard passed < seconds else { return }
            while Double(due) < passed * perSecond {
                // First one side of each conversation, then the other.
                let place = next % writers.count
                let half = writers.count / 2
                let writer = writers[place < half ? place * 2 : (place - half) * 2 + 1]
                next += 1
                due += 1
                send(from: writer)
            }
            load.poll(milliseconds: Self.pollMilliseconds) { receive($0) }
        }
    }

    /// Lets a number of writers send each message as soon as the previous one is acknowledged.
    func writeWithoutPause(senders: Int, seconds: Double) {
        let end = LoadLoop.now + UInt64(seconds * 1e9)
        // The writers are from different conversations, as far as possible.
        let ordered =
            stride(from: 0, to: writers.count, by: 2).map { writers[$0] }
            + stride(from: 1, to: writers.count, by: 2).map { writers[$0] }
        let chosen = ordered.prefix(senders)
        for writer in chosen {
            writer.goesOn = true
            send(from: writer)
        }
        while LoadLoop.now < end { load.poll(milliseconds: Self.pollMilliseconds) { receive($0) } }
        for writer in chosen { writer.goesOn = false }
    }

    /// Waits for outstanding answers and deliveries.
    func wait(seconds: Double) {
        let end = LoadLoop.now + UInt64(seconds * 1e9)
        while LoadLoop.now < end,
            writers.contains(where: { $0.sentAt != 0 }) || (isListening && counts.shown < counts.acknowledged)
        {
            load.poll(milliseconds: Self.pollMilliseconds) { receive($0) }
        }
    }

    private func send(from writer: Writer) {
        let now = LoadLoop.now
        writer.sentAt = now
        counts.sent += 1
        let params =
            "{\"conversation\":\(writer.conversation),\"id\":\"\(UUID().uuidString)\",\"text\":\"\(now) \(Self.text)\"}"
        writer.client.send(method: ChatSend.name, params: Array(params.utf8))
    }

    // MARK: Receiving

    private func receive(_ socket: LoadSocket) {
        guard let writer = bySocket[socket.descriptor] else { return }
        writer.client.receive(load.buffer) { event in
            guard case .text(let json) = event else { return }
            if json.starts(with: Self.pushHead) { take(push: json, writer) } else { take(reply: json, writer) }
        }
    }

    private static let pushHead = Array("{\"jsonrpc\":\"2.0\",\"method\":\"push\",\"params\":{\"topic\":\"".utf8)
    private static let chat = Array("chat/".utf8)
    private static let offset = Array("\"offset\":".utf8)
    private static let author = Array("{\"by\":".utf8)
    private static let message = Array("\"text\":\"".utf8)
    private static let result = Array("\"result\":".utf8)

    private func take(reply json: [UInt8], _ writer: Writer) {
        let now = LoadLoop.now
        acknowledgement.record(nanoseconds: now - writer.sentAt)
        writer.sentAt = 0
        if Self.index(behind: Self.result, in: json) == nil {
            counts.refused += 1
        } else {
            counts.acknowledged += 1
            acknowledgedInAll += 1
        }
        if writer.goesOn { send(from: writer) }
    }

    private func take(push json: [UInt8], _ writer: Writer) {
        guard json[Self.pushHead.count...].starts(with: Self.chat) else { return }
        let offset = Self.number(behind: Self.offset, in: json)
        if offset != writer.offset + 1 { outOfOrder += 1 }
        writer.offset = offset
        let sentAt = UInt64(Self.number(behind: Self.message, in: json))
        // The sender also receives its message.
        guard Self.number(behind: Self.author, in: json) != writer.account else { return }
        counts.shown += 1
        latency.record(nanoseconds: LoadLoop.now - sentAt)
    }

    /// Uses the C library, because the standard library's search takes longer than the rest of the client.
    private static func index(behind text: [UInt8], in json: [UInt8]) -> Int? {
        json.withUnsafeBytes { json in
            guard let start = json.baseAddress, let first = text.first else { return nil }
            var index = 0
            while index + text.count <= json.count,
                let found = memchr(start + index, Int32(first), json.count - text.count + 1 - index)
            {
                index = UnsafeRawPointer(found) - start
                if memcmp(found, text, text.count) == 0 { return index + text.count }
                index += 1
            }
            return nil
        }
    }

    private static func number(behind text: [UInt8], in json: [UInt8]) -> Int64 {
        guard let start = index(behind: text, in: json) else { return 0 }
        var number: Int64 = 0
        for byte in json[start...] {
            guard (48...57).contains(byte) else { break }
            number = number &* 10 &+ Int64(byte - 48)
        }
        return number
    }
}
