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
    public let box: GeoBox?

    /// At most this many cells per axis.
    static let gridCellsPerAxisMax = 64

    private let columns: Int
    private let rows: Int
    /// For cell `row * columns + column`: positions in `zones`, ascending.
    private let cells: [[Int32]]

    /// An index over zones in any order. Of zones with the same id only the first is kept.
    public init(zones: [Zone]) {
        var seen = Set<Int64>()
        let sorted = zones.filter { seen.insert($0.id).inserted && !$0.polygons.isEmpty }.sorted { $0.id < $1.id }
        self.zones = sorted
        let boxes = sorted.compactMap(\.box)
        box = boxes.dropFirst().reduce(boxes.first) { $0?.union($1) }
        guard let box else {
            (columns, rows, cells) = (0, 0, [])
            return
        }
        // A few cells per zone: enough that a cell seldom touches more than the zones that meet there.
        let perAxis = max(1, min(Self.gridCellsPerAxisMax, Int(Double(sorted.count * 16).squareRoot().rounded(.up))))
        (columns, rows) = (perAxis, perAxis)
        var cells = [[Int32]](repeating: [], count: perAxis * perAxis)
        for (position, zoneBox) in boxes.enumerated() {
            let low = Self.cell(zoneBox.south, zoneBox.west, box, perAxis, perAxis)
            let high = Self.cell(zoneBox.north, zoneBox.east, box, perAxis, perAxis)
            for row in low.row...high.row {
                for column in low.column...high.column {
                    cells[row * perAxis + column].append(Int32(position))
                }
            }
        }
        self.cells = cells
    }

    /// The zone that owns the point; nil outside all of them.
    public func zone(at point: GeoPoint) -> Zone? {
        guard let box, box.contains(point) else { return nil }
        let cell = Self.cell(point.latitude, point.longitude, box, columns, rows)
        for position in cells[cell.row * columns + cell.column] {
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

    /// The cell of a position inside `box`. Monotone in both coordinates, so a point never falls outside the cells of a
    /// box that contains it.
    private static func cell(
        _ latitude: Double, _ longitude: Double, _ box: GeoBox, _ columns: Int, _ rows: Int
    ) -> (row: Int, column: Int) {
        func slot(_ value: Double, _ low: Double, _ high: Double, _ count: Int) -> Int {
            guard high > low else { return 0 }
            return max(0, min(count - 1, Int((value - low) / (high - low) * Double(count))))
        }
        return (slot(latitude, box.south, box.north, rows), slot(longitude, box.west, box.east, columns))
    }
}
