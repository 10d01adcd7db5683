import Wire

/// Current stays of accounts, from which visits are derived. In memory only, for accounts that permit it. Confined to its service.
struct Stays {
    /// Duration after which a stay counts as a visit, in milliseconds.
    static let stayMilliseconds: Int64 = 300_000
    /// Longest gap between positions of one stay, in milliseconds.
    static let silenceMillisecondsMax: Int64 = 120_000
    /// Largest number of tracked accounts; a further one replaces the least recently updated of a small sample.
    static let accountsMax = 100_000

    private struct Stay {
        var place: LocationPlace
        var since: Int64
        var last: Int64
        var isNoted: Bool
    }
    private var stays: [Int64: Stay] = [:]

    /// Number of tracked accounts.
    var count: Int { stays.count }

    /// Records an account's position. O(1).
    /// - Parameters:
    ///   - place: Current place; nil outside all places.
    ///   - at: Time in milliseconds, by the server's clock or a monotonic clock.
    /// - Returns: The place when the stay becomes a visit, once per stay.
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

    /// Forgets an account's stay.
    mutating func forget(_ account: Int64) { stays[account] = nil }

    /// Removes stays without a position for ``silenceMillisecondsMax``. O(stays).
    mutating func forgetSilent(at milliseconds: Int64) {
        stays = stays.filter { (0...Self.silenceMillisecondsMax).contains(milliseconds - $0.value.last) }
    }

    private mutating func makeRoom() {
        let oldest = stays.prefix(16).min { $0.value.last < $1.value.last }
        if let oldest { stays[oldest.key] = nil }
    }
}
