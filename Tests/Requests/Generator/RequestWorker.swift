import Foundation
import Server
import Synchronization
import TestSupport
import Wire

/// What must not happen, and with which request it did.
public struct BrokenServer: Error, CustomStringConvertible {
    /// In a sentence.
    public let description: String
    /// Makes an empty one.
    public init(description: String) { self.description = description }
}

/// Figures of a run. From any thread.
public final class RequestTally: Sendable {
    /// The figures.
    public struct Counts: Sendable {
        /// Requests that are sent.
        public var requests = 0
        /// Requests by kind.
        public var byKind: [String: Int] = [:]
        /// Answers by error code; 0 is a result, -1 an ended connection.
        public var byCode: [Int: Int] = [:]
        /// Methods that gave a result to somebody.
        public var succeeded: Set<String> = []
        /// Methods that were called.
        public var called: Set<String> = []
        /// The last refusal of a valid request to each method that gave no result yet.
        public var refusals: [String: String] = [:]
        /// Error codes that methods returned and do not declare, such as `chat.send 1008`.
        public var undeclared: Set<String> = []
    }
    private static let declared = Dictionary(
        uniqueKeysWithValues: APIRegistry.methods.map { method in
            (method.name, Set((ErrorCode.common + method.specificErrors).map(\.rawValue)))
        })
    private let counts = Mutex(Counts())
    /// Makes an empty one.
    public init() {}
    /// As they are now.
    public var all: Counts { counts.withLock { $0 } }
    func add(_ method: String, kind: String, code: Int?, refusal: @autoclosure () -> String? = nil) {
        counts.withLock {
            $0.requests += 1
            $0.byKind[kind, default: 0] += 1
            $0.byCode[code ?? 0, default: 0] += 1
            $0.called.insert(method)
            if let code, ErrorCode(rawValue: code) != nil, Self.declared[method]?.contains(code) == false {
                $0.undeclared.insert("\(method) \(code)")
            }
            if code == nil {
                $0.succeeded.insert(method)
                $0.refusals[method] = nil
            } else if kind == "valid", !$0.succeeded.contains(method), let text = refusal() {
                $0.refusals[method] = text
            }
        }
    }
}

/// One caller's connection that sends requests, one after the other, and judges the answers. On a thread of its own.
public final class RequestWorker {
    /// Requests that a failure is reported with.
    static let rememberedMax = 20

    private let host: RequestServer
    private let role: Role?
    private let isWebSocket: Bool
    private let tally: RequestTally
    /// Where the request that is in flight is written, for a report after a crash.
    private let journal: UnsafeMutableRawPointer?
    private let remake: () throws -> RequestServer.Caller
    /// Who sends.
    public private(set) var caller: RequestServer.Caller
    private var client: WireClient
    private var number: Int
    private var recent: [String] = []

    /// - Parameter remake: Makes another account when this one is signed out or deleted.
    public init(
        _ host: RequestServer, role: Role?, isWebSocket: Bool, number: Int, tally: RequestTally,
        journal: RequestJournal? = nil,
        remake: @escaping () throws -> RequestServer.Caller
    ) throws {
        (self.host, self.role, self.isWebSocket, self.tally) = (host, role, isWebSocket, tally)
        self.remake = remake
        self.journal = journal?.slot(number)
        self.number = 700_000_000 + number * 10_000_000
        caller = try remake()
        client = try WireClient(port: host.port, isWebSocket: isWebSocket, token: caller.token)
    }

    /// Sends a request and judges the answer.
    /// - Parameters:
    ///   - method: Its name.
    ///   - params: JSON, or what is none.
    ///   - kind: For the tally.
    @discardableResult
    public func send(_ method: String, _ params: String?, kind: String) throws -> Reply? {
        number += 1
        let member = params.map { ",\"params\":\($0)" } ?? ""
        return try send(
            Array(#"{"jsonrpc":"2.0","id":\#(number),"method":"\#(method)"\#(member)}"#.utf8), method, kind: kind)
    }

    private func send(_ request: [UInt8], _ method: String, kind: String) throws -> Reply? {
        note(request)
        do {
            return try judge(try client.answer(to: request, id: number), method, kind)
        } catch WireClient.Trouble.ended {
            tally.add(method, kind: kind, code: -1)
            try comeBack()
            return nil
        } catch let trouble as WireClient.Trouble {
            throw broken(trouble)
        }
    }

    /// Sends bytes that need not be a request, and a `ping` behind them.
    public func sendAnything(_ bytes: [UInt8], isBinary: Bool = false, kind: String) throws {
        number += 1
        note(bytes)
        let ping = Array(#"{"jsonrpc":"2.0","id":\#(number),"method":"ping","params":{}}"#.utf8)
        do {
            for answer in try client.answers(to: bytes, isBinary: isBinary, until: ping, id: number) {
                if WireClient.contains(answer, Array("-32603".utf8)) { throw broken("was answered with -32603") }
            }
            tally.add("-", kind: kind, code: nil)
        } catch WireClient.Trouble.ended {
            tally.add("-", kind: kind, code: -1)
            try comeBack()
        } catch let trouble as WireClient.Trouble {
            throw broken(trouble)
        }
    }

    /// Asks for a page.
    /// - Parameter header: One more, with its line ending.
    public func get(_ path: String, header: String, kind: String) throws {
        let head = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(host.port)\r\n\(header)Connection: close\r\n\r\n"
        note(Array(head.utf8))
        let page = try WireClient(port: host.port, isWebSocket: false, token: nil)
        do {
            let status = try page.status(of: head)
            tally.add("-", kind: kind, code: status)
            if status == 500 { throw broken("was answered with 500") }
        } catch WireClient.Trouble.ended {
            tally.add("-", kind: kind, code: -1)
        } catch WireClient.Trouble.silent {
            throw broken("no answer within \(WireClient.silenceSecondsMax) s")
        }
    }

    /// Goes on as a new account of the role.
    public func changeAccount() throws {
        caller = try remake()
        client = try WireClient(port: host.port, isWebSocket: isWebSocket, token: caller.token)
    }

    private func judge(_ answer: [UInt8], _ method: String, _ kind: String) throws -> Reply? {
        if WireClient.contains(answer, Array("\"code\":-32603".utf8)) { throw broken("was answered with -32603") }
        guard let reply = Reply(answer) else {
            throw broken("was answered with what is no reply: \(String(decoding: answer.prefix(500), as: UTF8.self))")
        }
        tally.add(
            method, kind: kind, code: reply.code, refusal: String(decoding: answer.suffix(200), as: UTF8.self))
        if let result = reply.result { caller.valid.learn(method, result) }
        if Self.signingIn.contains(method) {
            // The connection may be somebody else's now, or nobody's. The account that was used before is there all the same,
            // also after a wrong token or password.
            if isWebSocket { try reconnect() }
        } else if reply.code == ErrorCode.unauthenticated.rawValue, role != nil {
            // The account signed out, or was deleted or disabled.
            caller = try remake()
            client = try WireClient(port: host.port, isWebSocket: isWebSocket, token: caller.token)
        }
        return reply
    }

    private static let signingIn: Set<String> = ["hello", "account.register", "account.login", "account.accept"]

    /// Connects again, as the same account.
    public func reconnect() throws {
        do { try client.connect() } catch { try comeBack() }
    }

    /// The server ended the connection: it may, but must be there.
    private func comeBack() throws {
        do {
            try client.connect()
        } catch {
            do {
                caller = try remake()
                client = try WireClient(port: host.port, isWebSocket: isWebSocket, token: caller.token)
            } catch { throw broken("the server is gone: \(error)") }
        }
        try ping()
    }

    /// - Throws: ``BrokenServer`` when the server does not answer, or wrote an error into its log.
    public func ping() throws {
        number += 1
        let request = Array(#"{"jsonrpc":"2.0","id":\#(number),"method":"ping","params":{}}"#.utf8)
        do { _ = try client.answer(to: request, id: number) } catch WireClient.Trouble.ended {
            do {
                caller = try remake()
                client = try WireClient(port: host.port, isWebSocket: isWebSocket, token: caller.token)
                number += 1
                let again = Array(#"{"jsonrpc":"2.0","id":\#(number),"method":"ping","params":{}}"#.utf8)
                _ = try client.answer(to: again, id: number)
            } catch { throw broken("the server is gone: \(error)") }
        }
        try checkLog()
    }

    /// - Throws: ``BrokenServer`` for a line at the level error.
    public func checkLog() throws {
        let lines = host.errors.all
        guard let line = lines.first else { return }
        throw broken("the log has an error: \(line)")
    }

    private func note(_ request: [UInt8]) {
        let text = String(decoding: request.prefix(RequestJournal.slotBytes - 8), as: UTF8.self)
        recent.append(text)
        if recent.count > Self.rememberedMax { recent.removeFirst() }
        guard let journal else { return }
        let kept = request.prefix(RequestJournal.slotBytes - 8)
        journal.storeBytes(of: UInt64(kept.count), as: UInt64.self)
        kept.withUnsafeBytes {
            if let base = $0.baseAddress { (journal + 8).copyMemory(from: base, byteCount: kept.count) }
        }
    }

    private func broken(_ trouble: WireClient.Trouble) -> BrokenServer {
        broken(trouble == .failed ? "was answered with 500" : "no answer within \(WireClient.silenceSecondsMax) s")
    }

    private func broken(_ what: String) -> BrokenServer {
        let last = recent.suffix(5).map { "  " + String($0.prefix(4_000)) }.joined(separator: "\n")
        return BrokenServer(
            description:
                "\(role?.rawValue ?? "guest") over \(isWebSocket ? "WebSocket" : "HTTP"): \(what). The last requests:\n\(last)"
        )
    }
}

/// A file in memory with the request that each worker has in flight: it is still there when the process has crashed.
public final class RequestJournal: @unchecked Sendable {
    // @unchecked: each worker writes into a slot of its own.
    static let slotBytes = 16_384
    private let memory: UnsafeMutableRawPointer
    private let slots: Int

    /// - Throws: ``BrokenServer`` when the file cannot be made.
    public init(path: String, slots: Int) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0, ftruncate(descriptor, slots * Self.slotBytes) == 0,
            let memory = mmap(nil, slots * Self.slotBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
            memory != MAP_FAILED
        else { throw BrokenServer(description: "\(path) cannot be written") }
        close(descriptor)
        (self.memory, self.slots) = (memory, slots)
    }

    func slot(_ number: Int) -> UnsafeMutableRawPointer? {
        number < slots ? memory + number * Self.slotBytes : nil
    }

    /// What a journal holds, one text a worker.
    public static func texts(in path: String) -> [String] {
        guard let data = FileManager.default.contents(atPath: path) else { return [] }
        return stride(from: 0, to: data.count, by: slotBytes).compactMap { start in
            let slot = data[start..<min(start + slotBytes, data.count)]
            let count = slot.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
            guard count > 0, count <= slotBytes - 8 else { return nil }
            return String(decoding: slot.dropFirst(8).prefix(count), as: UTF8.self)
        }
    }
}
