import EventLoop
import Services
import Synchronization
import Wire

/// Limit of the bytes of all uploads in progress, on all loops. Each upload reserves its declared length before its first byte. Usable
/// from any thread.
final class UploadCapacity: Sendable {
    /// Highest number of bytes of all uploads that are not stored yet: eight of the largest.
    static let bytesMax = 64 * 1_048_576
    /// Highest number of concurrent uploads of an account, so that no account can occupy all of the capacity with slow uploads.
    static let perAccountMax = 2
    /// Seconds after which capacity is likely to be free.
    static let retrySeconds = 5.0

    private struct State {
        var bytes = 0
        var accounts: [Int64: Int] = [:]
    }
    private let state = Mutex(State())
    private let bytesMax: Int

    init(bytesMax: Int = UploadCapacity.bytesMax) { self.bytesMax = bytesMax }

    /// Number of reserved bytes.
    var bytes: Int { state.withLock { $0.bytes } }

    /// Reserves bytes.
    /// - Throws: ``Wire/RPCError`` `rateLimited` for an account at its limit, `unavailable` without free capacity.
    func take(_ bytes: Int, for account: Int64) throws {
        try state.withLock { state in
            guard state.accounts[account, default: 0] < Self.perAccountMax else {
                throw RPCError(
                    .rateLimited, "\(Self.perAccountMax) of your pictures are on their way: send the next one then",
                    retryAfter: Self.retrySeconds)
            }
            guard state.bytes + bytes <= bytesMax else {
                throw RPCError(
                    .unavailable, "many pictures are being sent: send it again in a few seconds",
                    retryAfter: Self.retrySeconds)
            }
            state.bytes += bytes
            state.accounts[account, default: 0] += 1
        }
    }

    fileprivate func give(_ bytes: Int, of account: Int64) {
        state.withLock { state in
            state.bytes -= bytes
            let left = state.accounts[account, default: 1] - 1
            state.accounts[account] = left > 0 ? left : nil
        }
    }
}

/// An admitted upload. It holds its reservation as long as it exists: while its body arrives and until it is stored.
final class Upload: Sendable {
    let identity: Identity
    let purpose: PicturePurpose
    /// Monotonic clock in nanoseconds.
    let startedAt = EventLoop.nowNanoseconds
    private let bytes: Int
    private let room: UploadCapacity

    /// - Throws: ``Wire/RPCError`` without free capacity.
    init(bytes: Int, purpose: PicturePurpose, by identity: Identity, in room: UploadCapacity) throws {
        try room.take(bytes, for: identity.account.id)
        (self.bytes, self.purpose, self.identity, self.room) = (bytes, purpose, identity, room)
    }

    deinit { room.give(bytes, of: identity.account.id) }
}
