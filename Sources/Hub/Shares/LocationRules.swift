import Campus
import Wire

/// Rules that decide whether and how precisely a location is shown. The hub and services apply them to every position before it is
/// encoded. They answer from memory.
public protocol LocationRules: Sendable {
    /// The reason why a position of an account is hidden from everyone; nil when it may be shown. Fails closed: the positions of an
    /// account whose rules are not loaded are hidden, and the rules are read.
    /// - Parameter metres: Inaccuracy of the position. A position that may be in a hidden place is hidden, since the average of many
    ///   such positions would lie there.
    func hidden(_ account: Int64, at position: LatLon, within metres: Double) -> MyLocation.Hidden?

    /// The position in the given precision. The caller checks ``hidden(_:at:within:)`` first.
    func shown(_ fix: LocatedFix, as precision: Precision) -> SharedLocation
}

extension LocationRules {
    /// The reason why an accurate position is hidden; nil when it may be shown.
    public func hidden(_ account: Int64, at position: LatLon) -> MyLocation.Hidden? {
        hidden(account, at: position, within: 0)
    }
}
