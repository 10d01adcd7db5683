import CampanileClient
import Foundation

@testable import Wire

extension FuzzTarget {
    static let rpc = [
        FuzzTarget("rpc-request", run: RPCRules.request),
        FuzzTarget("rpc-params", run: RPCRules.parameters),
        FuzzTarget("rpc-reply", inputBytesMax: 2048, run: RPCRules.reply),
    ]
}

/// JSON-RPC 2.0 as the wire has it.
private enum RPCRules {
    private static let batchMax = 50

    // MARK: What servers read

    /// A message, alone and as a batch.
    static func request(_ input: [UInt8]) throws {
        let head = try requested(input)
        if let id = head?.id {
            let reply = WireJSON.encode(Failure(id: id, error: RPCError(.notFound, "nothing")))
            try demandEqual(try decoded(Failure.self, from: reply)?.id, id, "an id comes back as it was")
        }
        // Alone or in a batch, a request means the same.
        let parts = try split([UInt8(ascii: "[")] + input + [UInt8(ascii: "]")])
        if let head {
            try demandEqual(parts?.count, 1, "one request is a batch of one")
            let again = try requested(parts?.first ?? [])
            try demandEqual(again?.method, head.method, "in a batch a request has the same method")
            try demandEqual(again?.id, head.id, "in a batch a request has the same id")
        }
        for part in try split(input) ?? [] { _ = try requested(part) }
    }

    private static func split(_ input: [UInt8]) throws -> [[UInt8]]? {
        do {
            let parts = try WireJSON.splitBatch(input, countMax: batchMax)
            try demand((1...batchMax).contains(parts.count), "batches keep to their limit")
            return parts
        } catch {
            try check(error)
            return nil
        }
    }

    /// The parameters of the method that the message names.
    static func parameters(_ input: [UInt8]) throws {
        guard let head = try requested(input), let check = methods[head.method] else { return }
        let parts = try split([UInt8(ascii: "[")] + input + [UInt8(ascii: "]")])
        try check(input, parts?.first ?? [])
    }

    private static let methods: [String: @Sendable ([UInt8], [UInt8]) throws -> Void] = {
        var methods: [String: @Sendable ([UInt8], [UInt8]) throws -> Void] = [:]
        func add<M: RPCMethod>(_: M.Type) {
            methods[M.name] = { input, inBatch in
                let alone = try written(M.Params.self, input)
                let again = try written(M.Params.self, inBatch)
                try demandEqual(again, alone, "in a batch the parameters are the same")
            }
        }
        add(Hello.self)
        add(Ping.self)
        add(CampusInfoGet.self)
        add(CampusLocate.self)
        add(AccountRegister.self)
        add(AccountLogin.self)
        add(AccountMe.self)
        add(AccountDevices.self)
        add(AccountLogout.self)
        add(AccountLogoutEverywhere.self)
        add(AccountChangePassword.self)
        add(AccountRequestReset.self)
        add(AccountReset.self)
        add(TrackingStart.self)
        add(TrackingPoints.self)
        add(TrackingPause.self)
        add(TrackingResume.self)
        add(TrackingStop.self)
        add(TrackingCurrent.self)
        add(TrackingHistory.self)
        add(TrackingSession.self)
        add(TrackingAudience.self)
        add(TrackingLink.self)
        add(TrackingLinks.self)
        add(TrackingUnlink.self)
        add(Subscribe.self)
        add(Unsubscribe.self)
        add(PositionsView.self)
        return methods
    }()

    /// What was read, written in one way; nil when it cannot be read.
    private static func written<Params: Codable>(_ type: Params.Type, _ input: [UInt8]) throws -> String? {
        guard let request = try requested(input), let params = try received({ try request.params(type) }) else {
            return nil
        }
        if let params = params as? PositionsView.Params {
            let plain = try canonical(try request.viewParams())
            try demandEqual(plain, try canonical(params), "a view is read the same without a decoder")
        }
        let first = try canonical(params)
        guard let again = try decoded(Params.self, from: first) else {
            throw BrokenRule(description: "what we write we read: \(String(decoding: first, as: UTF8.self))")
        }
        let second = String(decoding: try canonical(again), as: UTF8.self)
        try demandEqual(second, String(decoding: first, as: UTF8.self), "what we write reads as the same")
        return second
    }

    private static func canonical(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    // MARK: What clients read

    static func reply(_ input: [UInt8]) throws {
        if let failure = try decoded(Failure.self, from: input) {
            if let delay = failure.error.retryDelay {
                try demand(
                    delay >= .zero && delay <= .seconds(RPCError.retryAfterSecondsMax), "a wait keeps to its limit")
            }
            try roundTrip(Failure.self, input)
        }
        try roundTrip(Success<Hello.Result>.self, input)
        try roundTrip(Success<SignedIn>.self, input)
        try roundTrip(Success<AccountDevices.Result>.self, input)
        try roundTrip(Success<TrackingPoints.Result>.self, input)
        try roundTrip(Success<TrackingHistory.Result>.self, input)
        try roundTrip(Success<TrackingSession.Result>.self, input)
        try roundTrip(Success<TrackingLinks.Result>.self, input)
        try roundTrip(Success<Subscribed<ZoneSnapshot>>.self, input)
        try roundTrip(Success<Subscribed<SessionSnapshot>>.self, input)
        try roundTrip(Push<ZoneUpdate>.self, input)
        try roundTrip(Push<SessionUpdate>.self, input)
        try roundTrip(Push<CountsUpdate>.self, input)
        try roundTrip(Push<PresenceUpdate>.self, input)
    }

    private static func roundTrip<Value: Codable>(_: Value.Type, _ input: [UInt8]) throws {
        guard let value = try decoded(Value.self, from: input) else { return }
        let first = try canonical(value)
        guard let again = try decoded(Value.self, from: first) else {
            throw BrokenRule(description: "what we write we read: \(String(decoding: first, as: UTF8.self))")
        }
        try demandEqual(try canonical(again), first, "what we write reads as the same")
    }

    // MARK: Errors

    private static func decoded<Value: Decodable>(_ type: Value.Type, from input: [UInt8]) throws -> Value? {
        try received { try WireJSON.decode(type, from: input) }
    }

    private static func requested(_ input: [UInt8]) throws -> RawRequest? { try received { try RawRequest(input) } }

    private static func received<Value>(_ body: () throws -> Value) throws -> Value? {
        do {
            return try body()
        } catch {
            try check(error)
            return nil
        }
    }

    /// An error is the caller's to understand: registered, plain, and without anything of what was sent.
    private static func check(_ error: any Error) throws {
        guard let error = error as? RPCError else {
            throw BrokenRule(description: "what cannot be read is an RPCError, not \(type(of: error))")
        }
        try demand(
            [.parseError, .invalidRequest, .invalidParams].contains(error.registered), "the fault is the caller's")
        try demandPlain(error.message)
        let known = ["2.0", "\(batchMax)", "3339", "1970", "9999", "2026-11-20T16:40:00.125Z", "65536", "64"]
        // Indexes, and the bounds of ranges.
        var message = error.message.replacing(/\[\d+\]/, with: "").replacing(/from -?\d+ to \d+/, with: "")
        for word in known { message.replace(word, with: "") }
        try demand(
            !message.utf8.contains { (0x30...0x39).contains($0) || $0 >= 0x80 },
            "a message repeats nothing of what was sent: \(error.message)")
    }
}
