import CNats
import EventLoop
import Synchronization

/// One connection object of the NATS library, from creation to destruction. The library reconnects it automatically.
///
/// `@unchecked Sendable`: the library's connection may be used from any thread; the subscriptions are behind a mutex.
final class NATSConnection: @unchecked Sendable {
    /// Identifies this connection in callbacks, so that late callbacks of an earlier connection are recognised.
    let number: UInt64
    private let connection: OpaquePointer
    private struct Subscriptions {
        var pointers: [UInt64: OpaquePointer] = [:]
        var numbers: [OpaquePointer: UInt64] = [:]
    }
    private let subscriptions = Mutex(Subscriptions())

    private init(number: UInt64, connection: OpaquePointer) {
        self.number = number
        self.connection = connection
    }

    deinit { natsConnection_Destroy(connection) }

    /// Reason why no connection was made.
    struct Failure: Error {
        let reason: String
    }

    /// Tries each server once. Blocks for at most the connect timeout for each server.
    static func connect(_ options: NATSOptions, transport: NATSTransport) throws(Failure) -> NATSConnection {
        let number = NATSCallbacks.register(transport)
        let closure = NATSCallbacks.closure(number, 0)
        natsOptions_SetDisconnectedCB(options.pointer, { NATSCallbacks.link($0, $1) { $0.lost($1) } }, closure)
        natsOptions_SetReconnectedCB(options.pointer, { NATSCallbacks.link($0, $1) { $0.returned($1) } }, closure)

        natsOptions_SetClosedCB(
            options.pointer,
            { connection, closure in
                let reason = NATSConnection.lastError(connection).text
                NATSCallbacks.link(connection, closure) { $0.ended($1, reason) }
            }, closure)
        natsOptions_SetErrorHandler(
            options.pointer,
            { _, subscription, status, closure in
                NATSCallbacks.find(closure) { $0.failed(status, subscription) }
            }, closure)
        var made: OpaquePointer?
        let status = natsConnection_Connect(&made, options.pointer)
        guard let made, status == NATS_OK else {
            NATSCallbacks.unregister(number)
            throw Failure(reason: failure(status))
        }
        return NATSConnection(number: number, connection: made)
    }

    /// Closes the connection; the transport gets no callbacks afterwards. Blocks until the library's threads have ended.
    func end() {
        NATSCallbacks.unregister(number)
        let pointers = subscriptions.withLock { subscriptions in
            defer { subscriptions = Subscriptions() }
            return Addresses(Array(subscriptions.pointers.values))
        }
        natsConnection_Close(connection)
        for pointer in pointers.list { natsSubscription_Destroy(pointer) }
    }

    /// Pointers that are returned out of a mutex. `@unchecked Sendable`: the library allows calls for these objects from any
    /// thread.
    private struct Addresses: @unchecked Sendable {
        let list: [OpaquePointer]
        init(_ list: [OpaquePointer]) { self.list = list }
    }

    func publish(_ frame: [UInt8], to subject: [CChar]) -> natsStatus {
        frame.withUnsafeBytes { bytes in
            subject.withUnsafeBufferPointer {
                natsConnection_Publish(connection, $0.baseAddress, bytes.baseAddress, Int32(clamping: bytes.count))
            }
        }
    }

    /// Result of a subscription: `known` if it existed already. A refused one receives no messages.
    enum Outcome {
        case made, known, refused
    }

    func subscribe(to pattern: String, number: UInt64) -> Outcome {
        guard subscriptions.withLock({ $0.pointers[number] == nil }) else { return .known }
        var subscription: OpaquePointer?
        let status = natsConnection_Subscribe(
            &subscription, connection, pattern,
            { _, _, message, closure in
                guard let message else { return }
                NATSCallbacks.find(closure) { $0.received(message, NATSCallbacks.subscription(closure)) }
                natsMsg_Destroy(message)
            }, NATSCallbacks.closure(self.number, number))
        guard status == NATS_OK, let subscription else { return .refused }
        natsSubscription_SetPendingLimits(
            subscription, Int32(clamping: BusLimits.loopQueueMessagesMax), Int32(clamping: BusLimits.loopQueueBytesMax))
        let address = UInt(bitPattern: subscription)
        subscriptions.withLock { subscriptions in
            guard let pointer = OpaquePointer(bitPattern: address) else { return }
            subscriptions.pointers[number] = pointer
            subscriptions.numbers[pointer] = number
        }
        return .made
    }

    func unsubscribe(number: UInt64) {
        let address = subscriptions.withLock { subscriptions in
            guard let pointer = subscriptions.pointers.removeValue(forKey: number) else { return UInt(0) }
            subscriptions.numbers[pointer] = nil
            return UInt(bitPattern: pointer)
        }
        guard let pointer = OpaquePointer(bitPattern: address) else { return }
        natsSubscription_Unsubscribe(pointer)
        natsSubscription_Destroy(pointer)
    }

    /// Number of the pattern that one of the library's subscriptions is for; 0 for none.
    func number(of subscription: OpaquePointer) -> UInt64 {
        let address = UInt(bitPattern: subscription)
        return subscriptions.withLock { subscriptions in
            OpaquePointer(bitPattern: address).flatMap { subscriptions.numbers[$0] } ?? 0
        }
    }

    /// Waits until the server has processed everything sent before, or until the timeout.
    @discardableResult
    func flush(milliseconds: Int64 = 500) -> natsStatus { natsConnection_FlushTimeout(connection, milliseconds) }

    /// Whether the library's own thread failed to write completely.
    var isBroken: Bool {
        let status = Self.lastError(connection).status
        return status == NATS_TIMEOUT || status == NATS_IO_ERROR || status == NATS_SSL_ERROR
    }

    /// Error message for the calling thread's last call into the library.
    private static func failure(_ status: natsStatus) -> String {
        var last = NATS_OK
        let text = nats_GetLastError(&last).map { String(cString: $0) } ?? ""
        return last == status && !text.isEmpty ? text : String(cString: natsStatus_GetText(status))
    }

    fileprivate static func lastError(_ connection: OpaquePointer?) -> (status: natsStatus, text: String) {
        var text: UnsafePointer<CChar>?
        let status = natsConnection_GetLastError(connection, &text)
        let known = String(cString: natsStatus_GetText(status))
        return (status, text.map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? known)
    }
}

/// Registry for the library's callbacks. A callback carries a number instead of a pointer, so that a late callback cannot reach a
/// released object.
enum NATSCallbacks {
    private struct Entry {
        weak var transport: NATSTransport?
    }
    private struct State {
        var last: UInt64 = 0
        var entries: [UInt64: Entry] = [:]
    }
    private static let state = Mutex(State())
    private static let subscriptionBits: UInt64 = 40

    static func register(_ transport: NATSTransport) -> UInt64 {
        state.withLock { state in
            state.last = (state.last + 1) % (1 << (64 - subscriptionBits))
            if state.last == 0 { state.last = 1 }
            state.entries[state.last] = Entry(transport: transport)
            return state.last
        }
    }

    static func unregister(_ link: UInt64) { state.withLock { $0.entries[link] = nil } }

    static func closure(_ link: UInt64, _ subscription: UInt64) -> UnsafeMutableRawPointer? {
        UnsafeMutableRawPointer(bitPattern: UInt(link << subscriptionBits | subscription))
    }

    static func subscription(_ closure: UnsafeMutableRawPointer?) -> UInt64 {
        UInt64(UInt(bitPattern: closure)) & (1 << subscriptionBits - 1)
    }

    static func find(_ closure: UnsafeMutableRawPointer?, _ body: (NATSTransport) -> Void) {
        let link = UInt64(UInt(bitPattern: closure)) >> subscriptionBits
        if let transport = state.withLock({ $0.entries[link]?.transport }) { body(transport) }
    }

    static func link(
        _ connection: OpaquePointer?, _ closure: UnsafeMutableRawPointer?, _ body: (NATSTransport, UInt64) -> Void
    ) {
        let link = UInt64(UInt(bitPattern: closure)) >> subscriptionBits
        find(closure) { body($0, link) }
    }
}
