import Wire

/// Where accounts are at the moment, to find out when somebody has been somewhere for a while. In memory only, and of those only who
/// want it; confined to its service.
struct Stays {
    /// How long one must be somewhere to have been there.
    static let stayMilliseconds: Int64 = 300_000
    /// A device that says nothing for longer was somewhere else, as far as is known.
    static let silenceMillisecondsMax: Int64 = 120_000
    /// Accounts that are followed; beyond, one that was heard of least lately makes room, as far as a look at a few tells.
    static let accountsMax = 100_000

    private struct Stay {
        var place: LocationPlace
        var since: Int64
        var last: Int64
        var isNoted: Bool
    }
    private var stays: [Int64: Stay] = [:]

    /// Accounts of which something is kept.
    var count: Int { stays.count }

    /// An account is somewhere. O(1).
    /// - Parameters:
    ///   - place: Nil where there is nothing to note.
    ///   - at: Milliseconds of the server's clock, or of one that does not jump.
    /// - Returns: The place when it has been there long enough, once a stay.
    mutating func note(_ account: Int64, at place: LocationPlace?, at milliseconds: Int64) -> LocationPlace? {
        guard let place else {
            stays[account] = nil
            return nil
        }
        guard var stay = stays[account], stay.place.kind == place.kind, stay.place.id == place.id,
            (0...Self.silenceMillisecondsMax).contains(milliseconds - stay.last)
        else {
            if stays.count >= Self.accountsMax, stays[account] == nil { makeRoom() }
            stays[account] = Stay(place: place, since: milliseconds, last: milliseconds, isNoted: false)
            return nil
        }
        stay.last = milliseconds
        let isDue = !stay.isNoted && milliseconds - stay.since >= Self.stayMilliseconds
        stay.isNoted = stay.isNoted || isDue
        stays[account] = stay
        return isDue ? place : nil
    }

    /// Nothing more is known of an account.
    mutating func forget(_ account: Int64) { stays[account] = nil }

    /// Who said nothing for ``silenceMillisecondsMax`` has no stay that goes on, and nothing of it is kept. O(stays).
    mutating func forgetSilent(at milliseconds: Int64) {
        stays = stays.filter { (0...Self.silenceMillisecondsMax).contains(milliseconds - $0.value.last) }
    }

    private mutating func makeRoom() {
        let oldest = stays.prefix(16).min { $0.value.last < $1.value.last }
        if let oldest { stays[oldest.key] = nil }
    }
}
