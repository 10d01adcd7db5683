/// An account that watches.
public struct WatchingAccount: Sendable, Codable, Hashable {
    /// The account's number.
    public var id: Int64
    /// Its username.
    public var name: String

    /// Memberwise.
    public init(id: Int64, name: String) {
        self.id = id
        self.name = name
    }
}

/// What one node tells the others of who watches a topic there. It names accounts, so that who watches at two nodes counts once;
/// it is for the servers of one campus and for nobody else.
///
/// Beyond ``accountsMax`` only numbers are told: one of those who watches at another node as well counts twice.
public struct PresenceReport: Sendable, Codable, Equatable {
    /// Accounts that a report names at most: some kilobytes.
    public static let accountsMax = 256
    /// The largest number that a report may give of anything; more is cut off.
    public static let numberMax = 10_000_000

    /// The first of those who are signed in.
    public var accounts: [WatchingAccount]
    /// Signed in and not named, 0 or more.
    public var moreAccounts: Int
    /// Connections of guests, 0 or more.
    public var guests: Int

    /// Memberwise. What is beyond the limits is cut off: accounts are counted instead.
    public init(accounts: [WatchingAccount], moreAccounts: Int, guests: Int) {
        let excess = max(0, accounts.count - Self.accountsMax)
        self.accounts = Array(accounts.prefix(Self.accountsMax))
        self.moreAccounts = max(0, min(moreAccounts, Self.numberMax)) + excess
        self.guests = max(0, min(guests, Self.numberMax))
    }

    /// Within the limits, whatever was decoded.
    var bounded: PresenceReport {
        PresenceReport(accounts: accounts, moreAccounts: moreAccounts, guests: guests)
    }
}
