import EventLoop
import Synchronization
import Wire

/// Limit of the personal data exports that are being made or sent, on all loops, because each is in memory as a whole. Usable from any
/// thread.
final class ExportCapacity: Sendable {
    /// Highest number of concurrent exports of all accounts, ``PersonalData/exportBytesMax`` each.
    static let filesMax = 2
    /// Seconds after which an export is likely to be complete.
    static let retrySeconds = 10.0
    /// Lowest average rate in bytes per second at which a client must read an export. It limits the memory of a client that does not read
    /// to minutes.
    static let bytesPerSecondMin = 65_536

    /// Accounts of the present exports. An account has at most one.
    private let accounts = Mutex<Set<Int64>>([])

    /// Number of present exports.
    var files: Int { accounts.withLock { $0.count } }

    /// Reserves one export.
    /// - Throws: ``Wire/RPCError`` `rateLimited` if the account has an export, `unavailable` at the limit.
    func take(for account: Int64) throws -> ExportReservation {
        try accounts.withLock { accounts in
            guard !accounts.contains(account) else {
                throw RPCError(
                    .rateLimited, "another export of yours is being sent: request this one when that is complete",
                    retryAfter: Self.retrySeconds)
            }
            guard accounts.count < Self.filesMax else {
                throw RPCError(
                    .unavailable, "others are being given their data: ask again in a few seconds",
                    retryAfter: Self.retrySeconds)
            }
            accounts.insert(account)
        }
        return ExportReservation(account, in: self)
    }

    fileprivate func give(_ account: Int64) { _ = accounts.withLock { $0.remove(account) } }
}

/// Reservation of one export for as long as it exists: until the file is sent or its connection ends.
final class ExportReservation: Sendable {
    private let account: Int64
    private let room: ExportCapacity

    fileprivate init(_ account: Int64, in room: ExportCapacity) { (self.account, self.room) = (account, room) }

    deinit { room.give(account) }
}
