import Postgres
import Wire

/// The setting that switches an account's location off (C-6).
enum LocationSwitch {
    /// Seconds after which a session counts as recorded before its device learned of the switch: it is stored, so that nothing
    /// is lost, and hidden while the location is off.
    static let lateSeconds = 60.0

    static let off = RPCError(
        .conflict, "your location is switched off: switch it on in the settings first", field: "location")

    /// Requires that the location is on. If the transaction holds the account's lock (``Accounts/lock``), as a change of the setting does,
    /// the location stays on until the transaction ends.
    /// - Throws: ``off``, ``Postgres/PostgresError``.
    static func requireOn(for account: Int64, in transaction: PostgresTransaction) async throws {
        let rows = try await transaction.query("SELECT account_location_is_on($1) AS is_on", [.int(account)])
        guard try rows.first?.bool("is_on") ?? false else { throw off }
    }
}
