import Wire

/// The location that each precision reveals (B-4). A coarse location is a fixed value for a fixed area. It is the same
/// for everybody and for every update, so averaging many of them reveals no more than one.
public struct PrivacyLadder: Sendable {
    public let zones: ZoneIndex
    public let buildings: BuildingIndex
    /// The campus bounds. A position inside them counts as on campus, as does one in a zone or building.
    public let bounds: GeoBox?

    public init(zones: ZoneIndex, buildings: BuildingIndex, bounds: GeoBox?) {
        self.zones = zones
        self.buildings = buildings
        self.bounds = bounds
    }

    /// A position at the precision of a share.
    ///
    /// Only `exact` has the fix's own time. For the others, set `at` to the sampling time.
    public func shown(_ fix: LocatedFix, as precision: Precision) -> SharedLocation {
        let zone = zones.zone(at: fix.point)
        let building = buildings.building(at: fix.point)
        let isOnCampus = zone != nil || building != nil || bounds?.contains(fix.point) == true
        var shown = SharedLocation(onCampus: isOnCampus, at: fix.at)
        switch precision {
        case .exact:
            shown.lat = fix.point.latitude
            shown.lon = fix.point.longitude
            (shown.accuracy, shown.heading, shown.speed) = (fix.accuracy, fix.heading, fix.speed)
            shown.source = fix.source
        case .building:
            if let building { fill(building, in: &shown) } else if let zone { fill(zone, in: &shown) }
        case .zone:
            // The zone alone: a building that extends outside all zones must not be revealed.
            if let zone { fill(zone, in: &shown) }
        case .campus: break
        }
        return shown
    }

    /// The building that contains a position, for its owner.
    public func building(at point: GeoPoint) -> LocationPlace? {
        buildings.building(at: point).map { LocationPlace(kind: .building, id: $0.id, name: $0.name) }
    }

    /// The zone that contains a position, for its owner.
    public func zone(at point: GeoPoint) -> LocationPlace? {
        zones.zone(at: point).map { LocationPlace(kind: .zone, id: $0.id, name: $0.name) }
    }

    private func fill(_ building: Building, in shown: inout SharedLocation) {
        guard let box = GeoBox(around: building.polygons) else { return }
        fill(LocationPlace(kind: .building, id: building.id, name: building.name), box, in: &shown)
    }

    private func fill(_ zone: Zone, in shown: inout SharedLocation) {
        guard let box = zone.box else { return }
        fill(LocationPlace(kind: .zone, id: zone.id, name: zone.name), box, in: &shown)
    }

    private func fill(_ place: LocationPlace, _ box: GeoBox, in shown: inout SharedLocation) {
        shown.place = place
        shown.lat = box.centre.latitude
        shown.lon = box.centre.longitude
        shown.accuracy = box.halfExtentMetres.rounded()
    }
}
