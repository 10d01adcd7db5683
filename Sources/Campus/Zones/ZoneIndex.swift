/// Finds the zone of a position in memory.
///
/// Immutable and `Sendable`: every loop reads the same value; a changed campus is a new index. A uniform grid over the
/// zones' box lists, for each cell, the zones whose boxes touch it, so a lookup tests a handful of polygons.
///
/// Borders: a point on the border of several zones belongs to the one with the lowest id, and so does a point where
/// zones overlap. Antimeridian: polygons do not cross it (``GeoError/ringCrossesAntimeridian``); a zone across it is two
/// polygons that meet there, and longitudes −180 and 180, though the same place, are looked up as given.
public struct ZoneIndex: Sendable {
    /// All zones, by ascending id.
    public let zones: [Zone]
    /// The smallest box around all zones; nil when there are none.
    public var box: GeoBox? { grid.box }

    private let grid: BoxGrid

    /// An index over zones in any order. Of zones with the same id only the first is kept.
    public init(zones: [Zone]) {
        var seen = Set<Int64>()
        let sorted = zones.filter { seen.insert($0.id).inserted && !$0.polygons.isEmpty }.sorted { $0.id < $1.id }
        self.zones = sorted
        grid = BoxGrid(sorted.compactMap(\.box))
    }

    /// The zone that owns the point; nil outside all of them.
    public func zone(at point: GeoPoint) -> Zone? {
        for position in grid.candidates(at: point) {
            let zone = zones[Int(position)]
            if zone.contains(point) { return zone }
        }
        return nil
    }

    /// The zone with this id, by binary search; nil when there is none.
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
