/// Decides at each visit of the keep-alive ring whether a connection gets a ping or has lost its peer.
struct KeepAlive {
    /// Number of unanswered pings after which the session treats the peer as gone.
    static let unansweredPingsMax: UInt8 = 2

    enum Action { case none, ping, abort }

    /// Whether data arrived since the last visit, which makes a ping unnecessary.
    private var hasReceived = false
    private var unansweredPings: UInt8 = 0

    mutating func received() {
        hasReceived = true
        unansweredPings = 0
    }

    mutating func visit() -> Action {
        if hasReceived {
            hasReceived = false
            return .none
        }
        guard unansweredPings < Self.unansweredPingsMax else { return .abort }
        unansweredPings += 1
        return .ping
    }
}
