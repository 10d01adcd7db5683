import Wire

/// The areas in which an account's location is hidden from everybody: its private zones and, unless the account opted
/// out, residences.
public struct SuppressionAreas: Sendable {
    /// Maximum accuracy radius, in metres. A less accurate position may be anywhere, so it is hidden for an account
    /// that has any hidden area.
    public static let inexactMetresMax = 1_000.0

    /// The secret circles of the account's private zones.
    public let zones: [SuppressionZone]
    /// The residences; nil for an account that is shown there.
    public let residences: ResidenceIndex?

    public init(zones: [SuppressionZone], residences: ResidenceIndex?) {
        self.zones = zones
        self.residences = residences?.isEmpty == true ? nil : residences
    }

    /// True if no area is hidden.
    public var isEmpty: Bool { zones.isEmpty && residences == nil }

    /// The reason why a position is hidden; nil if it may be published. Invalid coordinates are hidden.
    /// - Parameter metres: The accuracy radius. A position is hidden if it may be in a hidden area.
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
