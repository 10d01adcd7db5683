/// An account that watches.
public struct PresenceAccount: Sendable, Codable, Hashable {
    public var id: Int64
    /// The account's username.
    public var name: String

    public init(id: Int64, name: String) {
        self.id = id
        self.name = name
    }
}

/// One node's report on the viewers of a topic. It names accounts, so that an account that watches at two nodes counts once. It is only
/// for the servers of one campus.
///
/// Beyond ``accountsMax`` it has only numbers: such an account counts twice if it watches at another node as well.
public struct PresenceReport: Sendable, Codable, Equatable {
    /// Largest number of named accounts in a report: some kilobytes.
    public static let accountsMax = 256
    /// Largest number in a report; larger ones are clamped.
    public static let numberMax = 10_000_000

    /// The first of the signed-in accounts.
    public var accounts: [PresenceAccount]
    /// Number of signed-in accounts that are not named, 0 or more.
    public var moreAccounts: Int
    /// Number of guests' connections, 0 or more.
    public var guests: Int

    /// A report within the limits: accounts beyond ``accountsMax`` are only counted.
    public init(accounts: [PresenceAccount], moreAccounts: Int, guests: Int) {
        let excess = max(0, accounts.count - Self.accountsMax)
        self.accounts = Array(accounts.prefix(Self.accountsMax))
        self.moreAccounts = max(0, min(moreAccounts, Self.numberMax)) + excess
        self.guests = max(0, min(guests, Self.numberMax))
    }

    /// The report within the limits, for one that was decoded.
    var bounded: PresenceReport {
        PresenceReport(accounts: accounts, moreAccounts: moreAccounts, guests: guests)
    }
}
