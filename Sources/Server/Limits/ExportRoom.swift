import EventLoop
import Synchronization
import Wire

/// How many files of what is kept of somebody are being put together or sent, all loops together: each is in memory as a whole. From
/// any thread.
final class ExportRoom: Sendable {
    /// Files of all accounts at once, ``PersonalData/exportBytesMax`` each.
    static let filesMax = 2
    /// Seconds until one is likely to be through.
    static let retrySeconds = 10.0
    /// Bytes of a file that its reader must take a second, on average: who asks and does not read has the room for minutes at most.
    static let bytesPerSecondMin = 65_536

    /// Whose they are: nobody has two.
    private let accounts = Mutex<Set<Int64>>([])

    /// Files that there are.
    var files: Int { accounts.withLock { $0.count } }

    /// Takes the place of a file.
    /// - Throws: ``Wire/RPCError`` `rateLimited` while the account has one, `unavailable` when all are taken.
    func take(for account: Int64) throws -> ExportPlace {
        try accounts.withLock { accounts in
            guard !accounts.contains(account) else {
                throw RPCError(
                    .rateLimited, "another file of yours is on its way: ask again when it is here",
                    retryAfter: Self.retrySeconds)
            }
            guard accounts.count < Self.filesMax else {
                throw RPCError(
                    .unavailable, "others are being given their data: ask again in a few seconds",
                    retryAfter: Self.retrySeconds)
            }
            accounts.insert(account)
        }
        return ExportPlace(account, in: self)
    }

    fileprivate func give(_ account: Int64) { _ = accounts.withLock { $0.remove(account) } }
}

/// The place of a file, for as long as it exists: until the file has left, or the connection that it was for ends.
final class ExportPlace: Sendable {
    private let account: Int64
    private let room: ExportRoom

    fileprivate init(_ account: Int64, in room: ExportRoom) { (self.account, self.room) = (account, room) }

    deinit { room.give(account) }
}
