/// An in-memory index that finds the zone of a position.
///
/// Immutable and `Sendable`: every event loop reads the same value, and a changed campus gets a new index. A uniform
/// grid over the zones' box lists, for each cell, the zones whose boxes touch it, so a lookup tests only a few
/// polygons.
///
/// Borders: a point on the border of several zones, or in several overlapping zones, belongs to the zone with the
/// lowest id. Antimeridian: polygons do not cross it (``GeoError/ringCrossesAntimeridian``). A zone across it consists
/// of two polygons that meet there. Longitudes −180 and 180 are looked up as given, although they denote the same
/// meridian.
public struct ZoneIndex: Sendable {
    /// All zones, by ascending id.
    public let zones: [Zone]
    /// The smallest box around all zones; nil if there are none.
    public var box: GeoBox? { grid.box }

    private let grid: BoxGrid

    /// Creates an index over zones in any order. Of zones with the same id, only the first is kept.
    public init(zones: [Zone]) {
        var seen = Set<Int64>()
        let sorted = zones.filter { seen.insert($0.id).inserted && !$0.polygons.isEmpty }.sorted { $0.id < $1.id }
        self.zones = sorted
        grid = BoxGrid(sorted.compactMap(\.box))
    }

    /// The zone that owns the point; nil outside all zones.
    public func zone(at point: GeoPoint) -> Zone? {
        for position in grid.candidates(at: point) {
            let zone = zones[Int(position)]
            if zone.contains(point) { return zone }
        }
        return nil
    }

    /// The zone with this id, by binary search; nil if there is none.
    public func zone(id: Int64) -> Zone? {
        var low = 0
        var high = zones.count
        while low < high {
            let middle = (low + high) / 2
            if zones[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < zones.count && zones[low].id == id ? zones[low] : nil
    }
}
