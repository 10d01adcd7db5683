import Campus
import Wire

/// What of somebody's whereabouts may be told, and as what. Asked for every position before anything is encoded for anybody, on the
/// hub's loop and from services; answered from memory.
public protocol LocationRules: Sendable {
    /// Why a position of an account is told to nobody; nil when it may be. Fails closed: an account whose rules are not known is dark,
    /// and they are read.
    /// - Parameter metres: How inexact the position is: one that may be in a dark place is not told, as the average of many would be there.
    func hidden(_ account: Int64, at position: LatLon, within metres: Double) -> MyLocation.Hidden?

    /// A position as a share with this precision says it. Ask ``hidden(_:at:within:)`` first.
    func shown(_ fix: LocatedFix, as precision: Precision) -> SharedLocation

    /// When a share of an account is looked at, the same on all nodes; nil while the account's rules are not known.
    func looks(of share: Int64, by account: Int64, as precision: Precision) -> LookClock?
}

extension LocationRules {
    /// The same for a position that is taken as it is.
    public func hidden(_ account: Int64, at position: LatLon) -> MyLocation.Hidden? {
        hidden(account, at: position, within: 0)
    }
}
