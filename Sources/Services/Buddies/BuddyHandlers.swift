/// Handlers that other services register for changes by buddies, blocks and reports. Each is called after the commit and awaited before
/// the reply.
public struct BuddyHandlers: Sendable {
    /// A direct conversation was opened or reopened.
    public var opened: @Sendable (_ conversation: Int64, _ accounts: [Int64]) async -> Void
    /// A direct conversation was closed.
    public var closed: @Sendable (_ conversation: Int64, _ accounts: [Int64]) async -> Void
    /// An invitation to a group was withdrawn.
    public var uninvited: @Sendable (_ conversation: Int64, _ account: Int64) async -> Void
    /// The first account blocked or unblocked the other. If both block each other, each block is lifted separately.
    public var blockChanged: @Sendable (_ one: Int64, _ other: Int64, _ isOn: Bool) async -> Void
    /// A new report about an account was stored.
    public var reported: @Sendable (_ account: Int64) async -> Void

    /// Creates handlers that do nothing by default.
    public init(
        opened: @escaping @Sendable (_ conversation: Int64, _ accounts: [Int64]) async -> Void = { _, _ in },
        closed: @escaping @Sendable (_ conversation: Int64, _ accounts: [Int64]) async -> Void = { _, _ in },
        uninvited: @escaping @Sendable (_ conversation: Int64, _ account: Int64) async -> Void = { _, _ in },
        blockChanged: @escaping @Sendable (_ one: Int64, _ other: Int64, _ isOn: Bool) async -> Void = { _, _, _ in },
        reported: @escaping @Sendable (_ account: Int64) async -> Void = { _ in }
    ) {
        self.opened = opened
        self.closed = closed
        self.uninvited = uninvited
        self.blockChanged = blockChanged
        self.reported = reported
    }
}

/// Two accounts, with the ids in the order in which they are stored and locked.
struct Pair: Sendable {
    let one: Int64
    let other: Int64
    var low: Int64 { min(one, other) }
    var high: Int64 { max(one, other) }
    var accounts: [Int64] { [one, other] }

    init(_ one: Int64, _ other: Int64) {
        self.one = one
        self.other = other
    }
}
