import Wire

/// What each precision says of a position (B-4). A coarse one is a fixed value for a fixed place, the same whoever is there and however
/// often it is told: no average of many says more than one.
public struct PrivacyLadder: Sendable {
    /// The zones of the campus.
    public let zones: ZoneIndex
    /// The buildings of the campus.
    public let buildings: BuildingIndex
    /// What counts as the campus, beside its zones and buildings.
    public let bounds: GeoBox?

    /// Memberwise.
    public init(zones: ZoneIndex, buildings: BuildingIndex, bounds: GeoBox?) {
        self.zones = zones
        self.buildings = buildings
        self.bounds = bounds
    }

    /// A position as a share with this precision says it.
    ///
    /// Only `exact` has the fix's own time. With the others set `at` to the time of the look.
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
            if let building { say(building, in: &shown) } else if let zone { say(zone, in: &shown) }
        case .zone:
            // A building that juts out of all zones must not tell which it is.
            if let zone { say(zone, in: &shown) }
        case .campus: break
        }
        return shown
    }

    /// The building a position is in, for its owner.
    public func building(at point: GeoPoint) -> LocationPlace? {
        buildings.building(at: point).map { LocationPlace(kind: .building, id: $0.id, name: $0.name) }
    }

    /// The zone a position is in, for its owner.
    public func zone(at point: GeoPoint) -> LocationPlace? {
        zones.zone(at: point).map { LocationPlace(kind: .zone, id: $0.id, name: $0.name) }
    }

    private func say(_ building: Building, in shown: inout SharedLocation) {
        guard let box = GeoBox(around: building.polygons) else { return }
        say(LocationPlace(kind: .building, id: building.id, name: building.name), box, in: &shown)
    }

    private func say(_ zone: Zone, in shown: inout SharedLocation) {
        guard let box = zone.box else { return }
        say(LocationPlace(kind: .zone, id: zone.id, name: zone.name), box, in: &shown)
    }

    private func say(_ place: LocationPlace, _ box: GeoBox, in shown: inout SharedLocation) {
        shown.place = place
        shown.lat = box.centre.latitude
        shown.lon = box.centre.longitude
        shown.accuracy = box.halfExtentMetres.rounded()
    }
}
