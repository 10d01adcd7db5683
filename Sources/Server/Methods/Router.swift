import EventLoop
import Logging
import Services
import Wire

/// Maps a JSON-RPC 2.0 message to its reply, for WebSockets and `POST /rpc`.
///
/// The checks of a request have this order, and the first that fails decides the error. The Protocol article has the same list.
/// 1. The limit of all requests of the caller (``RequestLimits``). The checks 2 and 3 still run to find the reply's id, except in a message
///    above ``limitedMessageBytesMax``.
/// 2. The whole message: the number of its values, and its syntax as JSON.
/// 3. The envelope: faults outside of the parameters, `jsonrpc`, `id`, `method` (``Wire/RawRequest``).
/// 4. The method exists.
/// 5. The connection has sent `hello`, and the method is for outdated clients if the client is one.
/// 6. The access rule of the method (``Wire/MethodAccess``).
/// 7. The parameters: faults, types and ranges.
/// 8. The rate limits of the method. A handler of ``addRaw(_:inline:inFlight:_:)`` decodes and counts by itself.
/// 9. The service: lengths of texts, the object of the request, the caller's rights on it.
///
/// A batch is split first: one message beyond its limits gets one error. A frame with points has the same order, but is decoded first,
/// because the reply needs its id.
struct Router: Sendable {
    /// Highest number of requests in one batch.
    static let batchMax = 50
    /// Size above which the router does not read even the id of a rate-limited message: it closes the connection (4009) instead of
    /// replying. A client that respects `retryAfter` never reaches this.
    static let limitedMessageBytesMax = 65_536

    /// Size above which decoding may take milliseconds. Such a message waits for a loop iteration that has time.
    static let longMessageBytes = 65_536

    typealias Handler = @Sendable (any Caller, RawRequest) async throws -> [UInt8]?

    /// Handles a request on the synchronous path, including its reply; returns false if that is not possible.
    typealias InlineHandler = @Sendable (any Caller, RawRequest) throws -> Bool

    /// Starts a request on the synchronous path; returns false if that is not possible.
    typealias InFlightHandler =
        @Sendable (
            any Caller, RawRequest, _ completion: @escaping @Sendable (Result<[UInt8]?, any Error>) -> Void
        ) throws -> Bool

    typealias PointsHandler = @Sendable (any Caller, TrackingPoints.Params) async throws -> TrackingPoints.Result

    typealias InlinePointsHandler =
        @Sendable (
            any Caller, TrackingPoints.Params,
            _ completion: @escaping @Sendable (Result<TrackingPoints.Result, any Error>) -> Void
        ) throws -> Bool

    private struct Entry {
        let access: MethodAccess
        let isForProvisional: Bool
        let isForOutdated: Bool
        let handler: Handler
        let inline: InlineHandler?
        let inFlight: InFlightHandler?
        let metrics: RPCMetrics.Method
    }

    private struct PointsEntry {
        let handler: PointsHandler
        let inline: InlinePointsHandler
        let metrics: RPCMetrics.Method
    }

    /// Progress of a message after ``start(_:from:completion:)``.
    enum Answering {
        /// Complete, with this reply or with none.
        case done([UInt8]?)
        /// Complete, with a reply that is in the loop's inbox.
        case sent
        /// In flight. The completion will be called.
        case inFlight
        /// Needs a task that runs this closure.
        case needsTask(@Sendable () async -> [UInt8]?)
    }

    private var handlers: [String: Entry] = [:]
    /// Handler for points, as JSON or as frames.
    private var points: PointsEntry?
    private let metrics: RPCMetrics
    private let logger: Logger
    private let storage: StorageAlarm
    /// Rate limits of callers.
    let limits: RequestLimits
    /// Whether provisional accounts may use only what they need to confirm their address.
    let requiresConfirmation: Bool

    init(
        logger: Logger, storage: StorageAlarm, limits: RequestLimits, metrics: RPCMetrics,
        requiresConfirmation: Bool = false
    ) {
        self.requiresConfirmation = requiresConfirmation
        self.metrics = metrics
        self.logger = logger
        self.storage = storage
        self.limits = limits
    }

    /// Access rule of each method.
    var methods: [String: MethodAccess] { handlers.mapValues(\.access) }

    /// Adds a method. The router checks the access rule of its type, decodes the parameters and counts the rate limits, in this order,
    /// before it calls `body`.
    mutating func add<M: RPCMethod>(
        _ method: M.Type, _ body: @escaping @Sendable (any Caller, M.Params) async throws -> M.Result
    ) {
        let limits = limits
        addRaw(method) { caller, request in
            let params = try request.params(M.Params.self)
            try limits.count(M.limits, by: caller)
            let result = try await body(caller, params)
            return try request.id.map { try WireJSON.encode(Success(id: $0, result: result)) }
        }
    }

    /// Adds a method whose result writes its own JSON text.
    mutating func add<M: RPCMethod>(
        _ method: M.Type, _ body: @escaping @Sendable (any Caller, M.Params) async throws -> M.Result
    ) where M.Result: JSONWritable {
        let limits = limits
        addRaw(method) { caller, request in
            let params = try request.params(M.Params.self)
            try limits.count(M.limits, by: caller)
            let result = try await body(caller, params)
            return request.id.map { WireJSON.encode(Success(id: $0, result: result)) }
        }
    }

    /// Adds `tracking.points`, which also accepts binary frames.
    mutating func addPoints(inline: @escaping InlinePointsHandler, _ body: @escaping PointsHandler) {
        add(TrackingPoints.self, body)
        points = handlers[TrackingPoints.name].map {
            PointsEntry(handler: body, inline: inline, metrics: $0.metrics)
        }
    }

    /// Adds a method that may send its reply itself and then returns nil. The handler counts the method's rate limits.
    mutating func addRaw<M: RPCMethod>(
        _ method: M.Type, inline: InlineHandler? = nil, inFlight: InFlightHandler? = nil, _ handler: @escaping Handler
    ) {
        precondition(handlers[M.name] == nil, "\(M.name) is routed twice")
        handlers[M.name] = Entry(
            access: M.access, isForProvisional: M.isForProvisional, isForOutdated: M.isForOutdated, handler: handler,
            inline: inline, inFlight: inFlight, metrics: metrics.method(M.name))
    }

    /// Handles a message: a request or a batch.
    /// - Returns: JSON text of the reply; nil if there is none.
    func handle(_ message: [UInt8], from caller: any Caller) async -> [UInt8]? {
        if message.count > Self.longMessageBytes { await caller.loop.yieldIfIterationIsLong() }
        guard Self.isBatch(message) else { return await handleOne(message, from: caller) }
        let requests: [[UInt8]]
        do {
            requests = try split(message, from: caller)
        } catch {
            return encode(error, id: .null)
        }
        var replies: [[UInt8]] = []
        for (index, request) in requests.enumerated() {
            if index > 0 { await caller.loop.yieldIfIterationIsLong() }
            if let reply = await handleOne(request, from: caller) { replies.append(reply) }
        }
        guard !replies.isEmpty else { return nil }
        return [UInt8(ascii: "[")] + replies.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    }

    /// Splits a batch. Its requests count towards the limits one by one; an excessive length or an invalid batch counts here.
    private func split(_ message: [UInt8], from caller: any Caller) throws -> [[UInt8]] {
        let weight = RequestLimits.weight(ofBytes: message.count)
        if weight > 0, let refusal = limits.refusal(of: caller, tokens: weight) {
            if message.count > Self.limitedMessageBytesMax { caller.cutOff() }
            throw refusal
        }
        do {
            try WireJSON.checkValues(message)
            return try WireJSON.splitBatch(message, countMax: Self.batchMax)
        } catch {
            throw limits.refusal(of: caller) ?? error
        }
    }

    private static func isBatch(_ message: [UInt8]) -> Bool {
        message.first { !$0.isJSONWhitespace } == UInt8(ascii: "[")
    }

    private func handleOne(_ message: [UInt8], from caller: any Caller) async -> [UInt8]? {
        switch read(message, from: caller) {
        case .refused(let reply): reply
        case .call(let call): await run(call, from: caller)
        }
    }

    /// A decoded request.
    private struct Call {
        let request: RawRequest
        let entry: Entry?
        let measured: RPCMetrics.Method
        let refusal: RPCError?
        let started: UInt64
    }

    private enum Reading {
        case refused([UInt8]?)
        case call(Call)
    }

    private func read(_ message: [UInt8], from caller: any Caller) -> Reading {
        // The limit applies before decoding, so that invalid messages count as well. The reply still needs the id.
        let started = EventLoop.nowNanoseconds
        let refusal = limits.refusal(of: caller, tokens: 1 + RequestLimits.weight(ofBytes: message.count))
        do {
            if let refusal, message.count > Self.limitedMessageBytesMax {
                caller.cutOff()
                throw refusal
            }
            try WireJSON.checkValues(message)
            let request = try RawRequest(message)
            let entry = handlers[request.method]
            return .call(
                Call(
                    request: request, entry: entry, measured: entry?.metrics ?? metrics.unknown, refusal: refusal,
                    started: started))
        } catch {
            metrics.unknown.finished(refusal == nil ? .refused : .limited, startedAt: started)
            // The refusal outweighs what is wrong with the message: a client above its limit must learn how long to wait.
            if let refusal {
                caller.rateLimited(retryAfter: refusal.data?.retryAfter ?? 1)
                return .refused(encode(refusal, id: .null))
            }
            return .refused(encode(error, id: .null))
        }
    }

    private func run(_ call: Call, from caller: any Caller) async -> [UInt8]? {
        do {
            let reply = try await entry(of: call, from: caller).handler(caller, call.request)
            call.measured.finished(.ok, startedAt: call.started)
            return reply
        } catch {
            return answer(error, to: call, from: caller)
        }
    }

    /// - Throws: ``Wire/RPCError`` if the request may not run.
    private func entry(of call: Call, from caller: any Caller) throws -> Entry {
        if let refusal = call.refusal { throw refusal }
        guard let entry = call.entry else {
            throw RPCError(
                .methodNotFound, "there is no such method: `campanile doctor --api` lists them", field: "method")
        }
        guard caller.hasSentHello || call.request.method == Hello.name else {
            throw RPCError(.unauthenticated, "say hello first")
        }
        if !entry.isForOutdated { try caller.requireSupportedProtocol() }
        if let refusal = entry.access.refusal(
            of: caller.identity?.account, to: call.request.method,
            requiresConfirmation: requiresConfirmation && !entry.isForProvisional)
        {
            throw refusal
        }
        try Self.requireSecondFactor(caller, for: entry.access)
        return entry
    }

    private func answer(_ error: any Error, to call: Call, from caller: any Caller) -> [UInt8]? {
        let failure = rpcError(error, method: call.request.method)
        call.measured.finished(.init(failure), startedAt: call.started)
        if failure.registered == .rateLimited { caller.rateLimited(retryAfter: failure.data?.retryAfter ?? 1) }
        return call.request.id.map { WireJSON.encode(Failure(id: $0, error: failure)) }
    }

    /// Starts handling a WebSocket message. Runs or starts requests that need no task. On the caller's loop.
    /// - Parameter completion: Called on that loop with the reply if the result is ``Answering/inFlight``.
    func start(
        _ message: [UInt8], from caller: any Caller, completion: @escaping @Sendable ([UInt8]?) -> Void
    ) -> Answering {
        guard message.count <= Self.longMessageBytes, !Self.isBatch(message) else {
            return .needsTask { await handle(message, from: caller) }
        }
        switch read(message, from: caller) {
        case .refused(let reply): return .done(reply)
        case .call(let call):
            do {
                return try begin(call, from: caller, completion) ?? .needsTask { await run(call, from: caller) }
            } catch {
                return .done(answer(error, to: call, from: caller))
            }
        }
    }

    /// Handles or starts a request without a task; returns nil if it needs a task.
    private func begin(
        _ call: Call, from caller: any Caller, _ completion: @escaping @Sendable ([UInt8]?) -> Void
    ) throws -> Answering? {
        if let inline = call.entry?.inline {
            _ = try entry(of: call, from: caller)
            guard try inline(caller, call.request) else { return nil }
            call.measured.finished(.ok, startedAt: call.started)
            return .sent
        }
        guard let inFlight = call.entry?.inFlight else { return nil }
        _ = try entry(of: call, from: caller)
        let isInFlight = try inFlight(caller, call.request) { result in
            switch result {
            case .success(let reply):
                call.measured.finished(.ok, startedAt: call.started)
                completion(reply)
            case .failure(let error): completion(answer(error, to: call, from: caller))
            }
        }
        return isInFlight ? .inFlight : nil
    }

    // MARK: Frames

    /// Starts handling a binary message, a ``Wire/TrackFrame`` with points. On the caller's loop.
    /// - Parameter completion: Called on that loop with the reply, a ``Wire/TrackReply``, if the result is ``Answering/inFlight``.
    func start(
        frame: [UInt8], from caller: any Caller, completion: @escaping @Sendable ([UInt8]) -> Void
    ) -> Answering {
        let started = EventLoop.nowNanoseconds
        // Decoded before the checks, because the reply needs the id; a frame is short.
        let request = Result { try TrackFrame(decoding: frame) }
        let call = FrameCall(
            id: (try? request.get().id) ?? 0, measured: points?.metrics ?? metrics.unknown, started: started)
        do {
            if let refusal = limits.refusal(of: caller, tokens: 1 + RequestLimits.weight(ofBytes: frame.count)) {
                throw refusal
            }
            let request = try request.mapError { RPCError(.invalidParams, "\($0)") }.get()
            guard caller.hasSentHello else { throw RPCError(.unauthenticated, "say hello first") }
            guard let points else { throw RPCError(.methodNotFound, "points are not taken here") }
            if let refusal = TrackingPoints.access.refusal(
                of: caller.identity?.account, to: TrackingPoints.name, requiresConfirmation: requiresConfirmation)
            {
                throw refusal
            }
            let params = TrackingPoints.Params(session: request.session, points: request.points)
            let isInFlight = try points.inline(caller, params) { completion(reply($0, to: call, from: caller)) }
            if isInFlight { return .inFlight }
            return .needsTask {
                let result: Result<TrackingPoints.Result, any Error>
                do { result = .success(try await points.handler(caller, params)) } catch { result = .failure(error) }
                return reply(result, to: call, from: caller)
            }
        } catch {
            return .done(reply(.failure(error), to: call, from: caller))
        }
    }

    private struct FrameCall {
        let id: UInt32
        let measured: RPCMetrics.Method
        let started: UInt64
    }

    private func reply(
        _ result: Result<TrackingPoints.Result, any Error>, to call: FrameCall, from caller: any Caller
    ) -> [UInt8] {
        switch result {
        case .success(let result):
            call.measured.finished(.ok, startedAt: call.started)
            return TrackReply(id: call.id, .taken(.init(result))).encoded
        case .failure(let error):
            let failure = rpcError(error, method: TrackingPoints.name)
            call.measured.finished(.init(failure), startedAt: call.started)
            if failure.registered == .rateLimited { caller.rateLimited(retryAfter: failure.data?.retryAfter ?? 1) }
            return TrackReply(id: call.id, .failed(failure)).encoded
        }
    }

    // MARK: Errors

    private func encode(_ error: any Error, id: RequestID, method: String = "-") -> [UInt8] {
        WireJSON.encode(Failure(id: id, error: rpcError(error, method: method)))
    }

    /// Converts an error to the one that the client gets. An internal error is logged.
    func rpcError(_ error: any Error, method: String) -> RPCError {
        storage.explain(RPCError.clientError(error) ?? internalError(error, method: method))
    }

    private func internalError(_ error: any Error, method: String) -> RPCError {
        let reference = String(UInt32.random(in: 0 ... .max), radix: 36)
        logger.error(
            "request failed", metadata: ["method": "\(method)", "reference": "\(reference)", "error": "\(error)"])
        return RPCError(
            .internalError, "something went wrong in the server; give an admin the reference \(reference)",
            reference: reference)
    }
}

extension UInt8 {
    fileprivate var isJSONWhitespace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
