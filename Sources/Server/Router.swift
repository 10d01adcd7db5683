import EventLoop
import Logging
import Services
import Wire

/// Turns one message into one reply: JSON-RPC 2.0, the same for WebSocket and `POST /rpc`.
struct Router: Sendable {
    /// Requests in one batch.
    static let batchMax = 50
    /// Of a longer message that comes too often not even the id is read: the connection is closed instead of an answer (4009).
    /// No client that waits when it is told to gets there.
    static let refusedBytesReadMax = 65_536

    /// To read a longer message may take milliseconds: it waits for a turn that has the time.
    static let longMessageBytes = 65_536

    typealias Handler = @Sendable (any Caller, RequestHead, [UInt8]) async throws -> [UInt8]?

    typealias PointsHandler = @Sendable (any Caller, TrackingPoints.Params) async throws -> TrackingPoints.Result

    private struct Entry {
        let handler: Handler
        let metrics: RPCMetrics.Method
    }

    private var handlers: [String: Entry] = [:]
    /// Takes points, as JSON or as frames.
    private var points: (handler: PointsHandler, metrics: RPCMetrics.Method)?
    private let metrics: RPCMetrics
    private let logger: Logger
    private let storage: StorageAlarm
    /// How often callers may ask.
    let limits: RequestLimits

    init(logger: Logger, storage: StorageAlarm, limits: RequestLimits, metrics: RPCMetrics) {
        self.metrics = metrics
        self.logger = logger
        self.storage = storage
        self.limits = limits
    }

    /// Adds a method.
    mutating func add<M: RPCMethod>(
        _ method: M.Type, _ body: @escaping @Sendable (any Caller, M.Params) async throws -> M.Result
    ) {
        addHandler(M.name) { caller, head, bytes in
            let params = try WireJSON.decode(ParamsOnly<M.Params>.self, from: bytes).params
            let result = try await body(caller, params)
            return try head.id.map { try WireJSON.encode(Success(id: $0, result: result)) }
        }
    }

    /// Adds `tracking.points`, which may come as frames, too.
    mutating func addPoints(_ body: @escaping PointsHandler) {
        add(TrackingPoints.self, body)
        points = handlers[TrackingPoints.name].map { (body, $0.metrics) }
    }

    private mutating func addHandler(_ name: String, _ handler: @escaping Handler) {
        handlers[name] = Entry(handler: handler, metrics: metrics.method(name))
    }

    /// Adds a method that may send its reply by itself, and gives nil then.
    mutating func addRaw<Params: Decodable & Sendable>(
        _ name: String, params: Params.Type,
        _ body: @escaping @Sendable (any Caller, RequestHead, Params) async throws -> [UInt8]?
    ) {
        addHandler(name) { caller, head, bytes in
            try await body(caller, head, try WireJSON.decode(ParamsOnly<Params>.self, from: bytes).params)
        }
    }

    /// Handles a message: a request or a batch.
    /// - Returns: The reply's JSON; nil when there is none to send.
    func handle(_ message: [UInt8], from caller: any Caller) async -> [UInt8]? {
        if message.count > Self.longMessageBytes { await caller.loop.yieldIfTurnIsLong() }
        let isBatch = message.first { !$0.isJSONWhitespace } == UInt8(ascii: "[")
        guard isBatch else { return await handleOne(message, from: caller) }
        let requests: [[UInt8]]
        do {
            requests = try split(message, from: caller)
        } catch {
            return encode(error, id: .null)
        }
        var replies: [[UInt8]] = []
        for (index, request) in requests.enumerated() {
            if index > 0 { await caller.loop.yieldIfTurnIsLong() }
            if let reply = await handleOne(request, from: caller) { replies.append(reply) }
        }
        guard !replies.isEmpty else { return nil }
        return [UInt8(ascii: "[")] + replies.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    }

    /// Its requests count one by one when they are handled; what is too long or no batch at all counts here.
    private func split(_ message: [UInt8], from caller: any Caller) throws -> [[UInt8]] {
        let weight = RequestLimits.weight(ofBytes: message.count)
        if weight > 0, let refusal = limits.refusal(of: caller, tokens: weight) {
            if message.count > Self.refusedBytesReadMax { caller.cutOff() }
            throw refusal
        }
        do {
            try WireJSON.checkValues(message)
            return try WireJSON.splitBatch(message, countMax: Self.batchMax)
        } catch {
            throw limits.refusal(of: caller) ?? error
        }
    }

    private func handleOne(_ message: [UInt8], from caller: any Caller) async -> [UInt8]? {
        // Before anything is read of it: nonsense counts as well. Its id is needed for the answer all the same.
        let started = EventLoop.nowNanoseconds
        let refusal = limits.refusal(of: caller, tokens: 1 + RequestLimits.weight(ofBytes: message.count))
        let head: RequestHead
        do {
            if let refusal, message.count > Self.refusedBytesReadMax {
                caller.cutOff()
                throw refusal
            }
            try WireJSON.checkValues(message)
            head = try WireJSON.decode(RequestHead.self, from: message)
        } catch {
            metrics.unknown.finished(refusal == nil ? .refused : .limited, startedAt: started)
            return encode(error, id: .null)
        }
        let entry = handlers[head.method]
        let measured = entry?.metrics ?? metrics.unknown
        do {
            if let refusal { throw refusal }
            guard let entry else {
                throw RPCError(
                    .methodNotFound, "there is no such method: `campanile doctor --api` lists them", field: "method")
            }
            guard caller.hasSaidHello || head.method == Hello.name else {
                throw RPCError(.unauthenticated, "say hello first")
            }
            let reply = try await entry.handler(caller, head, message)
            measured.finished(.ok, startedAt: started)
            return reply
        } catch {
            let heard = hear(error, method: head.method)
            measured.finished(.init(heard), startedAt: started)
            if heard.registered == .rateLimited { caller.told(toWait: heard.data?.retryAfter ?? 1) }
            return head.id.flatMap { try? WireJSON.encode(Failure(id: $0, error: heard)) }
        }
    }

    /// Handles a binary message: points, as ``Wire/TrackFrame``.
    /// - Returns: The answer, a ``Wire/TrackReply``.
    func handle(frame: [UInt8], from caller: any Caller) async -> [UInt8] {
        let started = EventLoop.nowNanoseconds
        let measured = points?.metrics ?? metrics.unknown
        // Read first, as the answer is to have its id; a frame is short.
        let request = Result { try TrackFrame(decoding: frame) }
        let id = (try? request.get().id) ?? 0
        do {
            if let refusal = limits.refusal(of: caller, tokens: 1 + RequestLimits.weight(ofBytes: frame.count)) {
                throw refusal
            }
            let request = try request.mapError { RPCError(.invalidParams, "\($0)") }.get()
            guard caller.hasSaidHello else { throw RPCError(.unauthenticated, "say hello first") }
            guard let points else { throw RPCError(.methodNotFound, "points are not taken here") }
            let result = try await points.handler(caller, .init(session: request.session, points: request.points))
            measured.finished(.ok, startedAt: started)
            return TrackReply(id: id, .taken(.init(result))).encoded
        } catch {
            let heard = hear(error, method: TrackingPoints.name)
            measured.finished(.init(heard), startedAt: started)
            if heard.registered == .rateLimited { caller.told(toWait: heard.data?.retryAfter ?? 1) }
            return TrackReply(id: id, .failed(heard)).encoded
        }
    }

    private func encode(_ error: any Error, id: RequestID, method: String = "-") -> [UInt8]? {
        try? WireJSON.encode(Failure(id: id, error: hear(error, method: method)))
    }

    /// Any error as its hearer should know it; what is our fault goes to the log.
    func hear(_ error: any Error, method: String) -> RPCError {
        storage.explain(RPCError.hearable(error) ?? internalError(error, method: method))
    }

    private func internalError(_ error: any Error, method: String) -> RPCError {
        let reference = String(UInt32.random(in: 0 ... .max), radix: 36)
        logger.error(
            "request failed", metadata: ["method": "\(method)", "reference": "\(reference)", "error": "\(error)"])
        return RPCError(
            .internalError, "something went wrong here; tell an admin the reference \(reference)", reference: reference)
    }
}

extension UInt8 {
    fileprivate var isJSONWhitespace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
