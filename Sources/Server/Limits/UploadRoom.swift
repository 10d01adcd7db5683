import EventLoop
import Services
import Synchronization
import Wire

/// How much may be on its way in uploads, all loops together. Each takes its room before its first byte, by the length that it
/// declares. From any thread.
final class UploadRoom: Sendable {
    /// Bytes of all uploads that are not stored yet: eight of the largest.
    static let bytesMax = 64 * 1_048_576
    /// Uploads of one account at once: nobody may fill the room alone and then send slowly.
    static let perAccountMax = 2
    /// Seconds until room is likely.
    static let retrySeconds = 5.0

    private struct State {
        var bytes = 0
        var accounts: [Int64: Int] = [:]
    }
    private let state = Mutex(State())
    private let bytesMax: Int

    init(bytesMax: Int = UploadRoom.bytesMax) { self.bytesMax = bytesMax }

    /// What is taken at the moment.
    var bytes: Int { state.withLock { $0.bytes } }

    /// Takes room.
    /// - Throws: ``Wire/RPCError`` `rateLimited` for an account that has its share, `unavailable` when all is taken.
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

/// An upload that was let in. It has its room for as long as it exists: while it comes, and until it is stored.
final class Upload: Sendable {
    let identity: Identity
    let purpose: PicturePurpose
    /// On the monotonic clock, in nanoseconds.
    let startedAt = EventLoop.nowNanoseconds
    private let bytes: Int
    private let room: UploadRoom

    /// - Throws: ``Wire/RPCError`` when there is no room.
    init(bytes: Int, purpose: PicturePurpose, by identity: Identity, in room: UploadRoom) throws {
        try room.take(bytes, for: identity.account.id)
        (self.bytes, self.purpose, self.identity, self.room) = (bytes, purpose, identity, room)
    }

    deinit { room.give(bytes, of: identity.account.id) }
}
