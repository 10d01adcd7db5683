/// A viewer as the privacy rules see it: an account or a guest.
public struct Viewer: Sendable, Hashable {
    /// Nil for a guest.
    public var accountID: Int64?
    /// Whether the viewer sees what is for the campus. A provisional account sees what guests see.
    public var isMember: Bool

    /// - Parameters:
    ///   - accountID: Nil for a guest.
    ///   - isMember: False for a provisional account.
    public init(accountID: Int64?, isMember: Bool = true) {
        self.accountID = accountID
        self.isMember = accountID != nil && isMember
    }

    var tier: Tier { isMember ? .member : .guest }
}

/// Audience of a rendition of an area: the viewers of a tier may see the same, and share one encoding.
enum Tier: Hashable, CaseIterable {
    case guest, member
}
