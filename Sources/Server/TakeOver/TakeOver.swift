import Dispatch
import EventLoop
import Glibc
import Synchronization

/// How one server takes another's place without a connection being refused. They talk over `control.sock` in the data
/// directory; the listening sockets never close, so connections that come meanwhile wait in the kernel.
///
///     new                                  running
///     take-over 1              →
///                              ←           sockets (with the descriptors)
///     (checks its files, certificate, sockets)
///     go                       →
///                                          (stops accepting, drains, leaves the database)
///                              ←           drained
///     (adopts the database, accepts, puts its own control.sock in place)
///     serving                  →
///                                          (sends the rest of its last answers, exits)
///
/// Until `go` nothing has changed; after it, when `serving` does not come, the running server says `resumed` and serves again.
/// One that is told to stop meanwhile drops the channel without a word, and stops. Another that asks meanwhile hears `busy`.
enum TakeOverMessage: String {
    case request = "take-over 1"
    case sockets
    case busy
    case go
    case drained
    case serving
    case resumed

    static let socketName = "control.sock"
    /// A step that takes no time.
    static let answerTimeMax = Duration.seconds(5)
    /// For the new server's checks.
    static let preparationTimeMax = Duration.seconds(30)
    /// For requests under way and grouped writes of the running one.
    static let drainTimeMax = Duration.seconds(60)
    /// For the new server's start: adopting the database, migrations.
    static let startTimeMax = Duration.seconds(300)
}

extension UnixChannel {
    func send(_ message: TakeOverMessage, sockets: [ListeningSocket] = []) throws {
        try send(message.rawValue, sockets: sockets)
    }

    /// - Throws: `UnixChannel.Failure` when another message comes.
    @discardableResult
    func receive(_ wanted: TakeOverMessage, within limit: Duration) throws -> [ListeningSocket] {
        let (message, sockets) = try receive(within: limit)
        guard message == wanted.rawValue else {
            throw Failure(
                message == TakeOverMessage.busy.rawValue
                    ? "the running server is being taken over by another one already"
                    : "the other server said something else than \(wanted.rawValue): is it of another version?")
        }
        return sockets
    }

    /// Runs blocking calls on a thread that may block. When the task is cancelled the channel is shut down, and they fail at
    /// once.
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
    /// What the running server listens on.
    public let sockets: [ListeningSocket]
    let channel: UnixChannel

    /// Asks the server that runs with a data directory for its listening sockets. It goes on serving.
    /// - Returns: Nil when none runs there.
    /// - Throws: `SystemError`, `UnixChannel.Failure`: what the other side did not do.
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

    /// Has the running server stop, and returns when it has let go of everything. From here on connections wait; when this
    /// process ends before ``finish()``, the other serves again.
    public func proceed() async throws {
        try await channel.blocking {
            try $0.send(.go)
            _ = try $0.receive(.drained, within: TakeOverMessage.drainTimeMax)
        }
    }

    /// Says that this server serves: the other one exits. One that has gone already, stopped or killed, needs not be told.
    /// - Parameter control: Where this one can be asked from now on; made before the other is told, so that there is always
    ///   somebody to ask. Nil when it cannot be taken over.
    /// - Throws: `UnixChannel.Failure`: the other one has waited too long and serves again; stop.
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
    /// Lets the next one ask.
    let release: @Sendable () -> Void

    /// Hands the sockets over and returns when the new server is ready to go on. Nothing has changed here until then. Others
    /// that ask hear `busy` until this fails, and for good when it does not.
    /// - Throws: `SystemError`, `UnixChannel.Failure`: the new server gave up, or the task was cancelled; go on serving.
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

    /// Says that this server has stopped, and returns when the new one serves.
    /// - Parameter control: Where this one was asked. The name is the new server's from then on.
    /// - Throws: `SystemError`, `UnixChannel.Failure`: the new server failed; serve again, with a new ``ControlSocket``, as
    ///   the name may have been replaced. Unless the task was cancelled: the new one is not told to give way then.
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

/// Where a running server is asked to hand over: `control.sock` in the data directory, for the same user and root only.
///
/// `@unchecked Sendable`: the source is set up in `init` and only kept afterwards.
public final class ControlSocket: @unchecked Sendable {
    /// Those who ask, one at a time: who comes while sockets are being handed over is told `busy`.
    public let requests: AsyncStream<HandOver>
    private let continuation: AsyncStream<HandOver>.Continuation
    private let source: any DispatchSourceRead
    private let path: String
    private let inode: UInt

    /// Whether somebody's request is being answered.
    private final class Engagement: Sendable {
        private let isEngaged = Atomic(false)
        /// - Returns: False when it was so already.
        func begin() -> Bool { !isEngaged.exchange(true, ordering: .acquiringAndReleasing) }
        func end() { isEngaged.store(false, ordering: .releasing) }
    }

    /// - Throws: `SystemError` when the socket cannot be made.
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

    /// Nobody can ask any more, and the name goes, unless it is another's. Not while a successor may be putting its own socket
    /// there: to look and to unlink are two steps. See ``leave()``.
    public func close() {
        leave()
        if Self.inode(path) == inode { unlink(path) }
    }

    /// Nobody can ask any more. The name stays: a successor's socket replaces it, or has done so.
    public func leave() {
        source.cancel()
        continuation.finish()
    }

    private static func inode(_ path: String) -> UInt {
        var status = stat()
        return lstat(path, &status) == 0 ? UInt(status.st_ino) : 0
    }
}
