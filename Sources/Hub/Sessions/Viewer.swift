/// A viewer as the privacy rules see it: an account or a guest.
public struct Viewer: Sendable, Hashable {
    /// Nil for a guest.
    public var accountID: Int64?

    /// - Parameter accountID: Nil for a guest.
    public init(accountID: Int64?) { self.accountID = accountID }

    var tier: Tier { accountID == nil ? .guest : .member }
}

/// Audience of a rendition of an area: the viewers of a tier may see the same, and share one encoding.
enum Tier: Hashable, CaseIterable {
    case guest, member
}
