import Dispatch
import EventLoop
import Glibc
import Synchronization

/// Messages of a take-over, in which a server replaces another one without refusing a connection. The servers communicate over
/// `control.sock` in the data directory. The listening sockets never close: new connections wait in the kernel until the new server has
/// opened and migrated the database. If it fails before that, the running server accepts them.
///
///     new                                    running
///     take-over 1                →
///                                ←           sockets (with the descriptors)
///     (checks its files, certificate, sockets)
///     go                         →
///                                            (stops accepting, drains, leaves the database)
///                                ←           drained
///     (adopts the database, accepts, puts its own control.sock in place)
///     serving                    →
///                                            (sends the rest of its last answers, exits)
///
/// Before `go` nothing changes. If `serving` does not arrive after it, the running server sends `resumed` and serves again. A running
/// server that is stopped in the meantime closes the channel without a message. Another server that requests a take-over in the meantime
/// receives `busy`.
enum TakeOverMessage: String {
    case request = "take-over 1"
    case sockets
    case busy
    case go
    case drained
    case serving
    case resumed

    static let socketName = "control.sock"
    /// Time limit for steps without work.
    static let answerTimeMax = Duration.seconds(5)
    /// Time limit for the new server's checks.
    static let preparationTimeMax = Duration.seconds(30)
    /// Time limit for the running server's requests in flight and grouped writes.
    static let drainTimeMax = Duration.seconds(60)
    /// Time limit for the new server's start: adopting the database, migrations.
    static let startTimeMax = Duration.seconds(300)
}

extension UnixChannel {
    func send(_ message: TakeOverMessage, sockets: [ListeningSocket] = []) throws {
        try send(message.rawValue, sockets: sockets)
    }

    /// - Throws: `UnixChannel.Failure` for a different message.
    @discardableResult
    func receive(_ wanted: TakeOverMessage, within limit: Duration) throws -> [ListeningSocket] {
        let (message, sockets) = try receive(within: limit)
        guard message == wanted.rawValue else {
            throw Failure(
                message == TakeOverMessage.busy.rawValue
                    ? "the running server is being taken over by another one already"
                    : "the other server did not send \(wanted.rawValue): is it of another version?")
        }
        return sockets
    }

    /// Runs blocking calls on a thread that may block. Cancelling the task shuts the channel down, so that the calls fail immediately.
    func blocking<T: Sendable>(_ body: @escaping @Sendable (UnixChannel) throws -> T) async throws -> T {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async { continuation.resume(with: Result { try body(self) }) }
            }
        } onCancel: {
            shutDown()
        }
    }
}

/// The new server's side of a take-over.
public struct TakeOver: Sendable {
    /// Listening sockets of the running server.
    public let sockets: [ListeningSocket]
    let channel: UnixChannel

    /// Requests the listening sockets of the server that runs with a data directory. That server continues to serve.
    /// - Returns: Nil if no server runs there.
    /// - Throws: `SystemError`, `UnixChannel.Failure` for a failure of the other side.
    public static func begin(dataDirectory: String) async throws -> TakeOver? {
        guard let channel = try UnixChannel.connect(directory: dataDirectory, name: TakeOverMessage.socketName) else {
            return nil
        }
        let sockets = try await channel.blocking {
            try $0.send(.request)
            return try $0.receive(.sockets, within: TakeOverMessage.answerTimeMax)
        }
        guard !sockets.isEmpty else { throw UnixChannel.Failure("the running server has no sockets to hand over") }
        return TakeOver(sockets: sockets, channel: channel)
    }

    /// Stops the running server, and returns when it has released all resources. From here on connections wait. If this process ends before
    /// ``finish(_:)``, the other server serves again.
    public func proceed() async throws {
        try await channel.blocking {
            try $0.send(.go)
            _ = try $0.receive(.drained, within: TakeOverMessage.drainTimeMax)
        }
    }

    /// Informs the other server that this one serves, whereupon it exits. A server that has already ended needs no message.
    /// - Parameter control: Socket for take-over requests to this server, created before the other one exits, so that there is always a
    ///   server that accepts requests. Nil if this server cannot be taken over.
    /// - Throws: `UnixChannel.Failure` if the other server timed out and serves again; this server must then stop.
    public func finish(_ control: ControlSocket?) async throws {
        try await channel.blocking { channel in
            guard (try? channel.send(.serving)) == nil else { return }
            guard (try? channel.receive(.resumed, within: .zero)) == nil else {
                throw UnixChannel.Failure("the server that was to be replaced has waited too long and serves again")
            }
        }
    }
}

/// The running server's side of one take-over.
public struct HandOver: Sendable {
    let channel: UnixChannel
    /// Permits the next request.
    let release: @Sendable () -> Void

    /// Sends the sockets and returns when the new server is ready. Nothing changes on this server until then. Other servers get `busy`
    /// until this fails, and permanently if it succeeds.
    /// - Throws: `SystemError`, `UnixChannel.Failure` if the new server gave up or the task was cancelled; continue to serve.
    public func offer(_ sockets: [ListeningSocket]) async throws {
        do {
            try await channel.blocking {
                try $0.send(.sockets, sockets: sockets)
                _ = try $0.receive(.go, within: TakeOverMessage.preparationTimeMax)
            }
        } catch {
            release()
            throw error
        }
    }

    /// Informs the new server that this one has stopped, and returns when the new one serves.
    /// - Parameter control: Socket of the request. Its path belongs to the new server afterwards.
    /// - Throws: `SystemError`, `UnixChannel.Failure` if the new server failed; serve again with a new ``ControlSocket``, because the path
    ///   may have been replaced. If the task was cancelled, the new server does not get `resumed`.
    public func complete(_ control: ControlSocket) async throws {
        do {
            try await channel.blocking {
                try $0.send(.drained)
                _ = try $0.receive(.serving, within: TakeOverMessage.startTimeMax)
            }
        } catch {
            if !Task.isCancelled { try? channel.send(.resumed) }
            channel.shutDown()
            throw error
        }
        control.leave()
    }
}

/// Socket for take-over requests to a running server: `control.sock` in the data directory, accessible to the same user and root.
///
/// `@unchecked Sendable`: the source is set up in `init` and only retained afterwards.
public final class ControlSocket: @unchecked Sendable {
    /// Take-over requests, one at a time. During a hand-over, further requests get `busy`.
    public let requests: AsyncStream<HandOver>
    private let continuation: AsyncStream<HandOver>.Continuation
    private let source: any DispatchSourceRead
    private let path: String
    private let inode: UInt

    /// Whether a request is being handled.
    private final class Engagement: Sendable {
        private let isEngaged = Atomic(false)
        /// - Returns: False if a request was being handled already.
        func begin() -> Bool { !isEngaged.exchange(true, ordering: .acquiringAndReleasing) }
        func end() { isEngaged.store(false, ordering: .releasing) }
    }

    /// - Throws: `SystemError` if the socket cannot be created.
    public init(dataDirectory: String) throws {
        let descriptor = try UnixChannel.listen(directory: dataDirectory, name: TakeOverMessage.socketName)
        path = "\(dataDirectory)/\(TakeOverMessage.socketName)"
        inode = Self.inode(path)
        let queue = DispatchQueue(label: "campanile.control")
        let (requests, continuation) = AsyncStream.makeStream(of: HandOver.self, bufferingPolicy: .bufferingOldest(1))
        self.requests = requests
        self.continuation = continuation
        let engagement = Engagement()
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            guard let channel = UnixChannel.accept(on: descriptor),
                (try? channel.receive(.request, within: TakeOverMessage.answerTimeMax)) != nil
            else { return }
            guard engagement.begin() else {
                try? channel.send(.busy)
                return
            }
            continuation.yield(HandOver(channel: channel) { engagement.end() })
        }
        source.setCancelHandler { Glibc.close(descriptor) }
        source.activate()
    }

    /// Stops accepting requests and removes the path, unless it belongs to another server. Not safe while a successor may be putting its
    /// own socket there, because the check and the removal are two steps. See ``leave()``.
    public func close() {
        leave()
        if Self.inode(path) == inode { unlink(path) }
    }

    /// Stops accepting requests. The path remains: a successor's socket replaces it.
    public func leave() {
        source.cancel()
        continuation.finish()
    }

    private static func inode(_ path: String) -> UInt {
        var status = stat()
        return lstat(path, &status) == 0 ? UInt(status.st_ino) : 0
    }
}
