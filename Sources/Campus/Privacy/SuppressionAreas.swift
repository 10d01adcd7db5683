import Wire

/// Where an account is shown to nobody: its private zones and, unless it switched that off, residences.
public struct SuppressionAreas: Sendable {
    /// Metres: what is less exact may be anywhere, and is dark for whoever has a dark place at all.
    public static let inexactMetresMax = 1_000.0

    /// What is dark of its private zones.
    public let zones: [SuppressionZone]
    /// Where people live; nil for an account that is shown there.
    public let residences: ResidenceIndex?

    /// Memberwise.
    public init(zones: [SuppressionZone], residences: ResidenceIndex?) {
        self.zones = zones
        self.residences = residences?.isEmpty == true ? nil : residences
    }

    /// There are none.
    public var isEmpty: Bool { zones.isEmpty && residences == nil }

    /// Why nothing is told of a position; nil when it may be. What is no position is dark.
    /// - Parameter metres: How inexact it is: what may be in a dark place is not told.
    public func hidden(at position: LatLon, within metres: Double = 0) -> MyLocation.Hidden? {
        guard !isEmpty else { return nil }
        guard let point = try? GeoPoint(latitude: position.latitude, longitude: position.longitude) else {
            return .zone
        }
        guard metres <= Self.inexactMetresMax else { return zones.isEmpty ? .residence : .zone }
        if zones.contains(where: { $0.contains(point, within: metres) }) { return .zone }
        return residences?.contains(point, within: metres) == true ? .residence : nil
    }
}
