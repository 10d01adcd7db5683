import Postgres
import Wire

/// A mail in the outbox that this server has claimed.
struct AccountMailRow: Sendable {
    enum Kind: Sendable, Equatable {
        /// A link to reset the password, for the account with this key of an address, if there is one.
        case reset(key: String)
        /// A code and a link for the address with this key, if the account still waits to confirm it.
        case confirm(account: Int64, key: String)
        /// A password was changed by a client program, or by the operator if it is nil, which disconnected identities of these issuers.
        case passwordChanged(account: Int64, address: String, client: String?, endedIssuers: [String])
        /// Somebody logged in on a device that the account did not know.
        case newDevice(account: Int64, address: String, device: String, networkAddress: String?)
        /// Another address has replaced this one.
        case addressChanged(account: Int64, address: String)
        /// An identity at the provider with this label signs in to the account, or no longer does.
        case providerChanged(account: Int64, address: String, label: String, isConnected: Bool)
        /// A passkey or a second factor was changed.
        case factor(FactorChange, account: Int64, address: String, detail: String)
        /// A kind of a later release, which is never sent.
        case unknown(String)
    }

    let id: Int64
    let kind: Kind
    let createdAt: Timestamp
    let expiresAt: Timestamp
    /// Number of attempts including this one; together with the server it identifies the claim.
    let attempts: Int64

    init(_ row: PostgresRow) throws {
        let address = try row.text("address")
        let account = try row.optionalInt("account_id") ?? 0
        let name = try row.text("kind")
        kind =
            switch name {
            case "reset": .reset(key: address)
            case "confirm": .confirm(account: account, key: address)
            case "password_changed":
                .passwordChanged(
                    account: account, address: address, client: try row.optionalText("client"),
                    endedIssuers: try row.textArray("ended_issuers"))
            case "new_device":
                .newDevice(
                    account: account, address: address, device: try row.optionalText("client") ?? "unknown",
                    networkAddress: try row.optionalText("network_address"))
            case "address_changed": .addressChanged(account: account, address: address)
            case "provider_connected", "provider_disconnected":
                .providerChanged(
                    account: account, address: address, label: try row.optionalText("client") ?? "",
                    isConnected: name == "provider_connected")
            default:
                if let change = FactorChange(rawValue: name) {
                    .factor(
                        change, account: account, address: address, detail: try row.optionalText("client") ?? "")
                } else {
                    .unknown(name)
                }
            }
        id = try row.int("id")
        createdAt = Timestamp(milliseconds: try row.timestamp("created_at"))
        expiresAt = Timestamp(milliseconds: try row.timestamp("expires_at"))
        attempts = try row.int("attempts")
    }

    /// Name of the kind in metrics and logs.
    var name: AccountMailMetrics.Kind {
        switch kind {
        case .reset: .reset
        case .confirm: .confirm
        case .passwordChanged: .passwordChanged
        case .newDevice: .newDevice
        case .addressChanged: .addressChanged
        case .providerChanged(_, _, _, let isConnected): isConnected ? .providerConnected : .providerDisconnected
        case .factor: .factor
        case .unknown: .unknown
        }
    }
}
