/// A uniform grid over boxes. For each cell it lists the boxes that touch it, so that a lookup tests only a few shapes.
struct BoxGrid: Sendable {
    /// Maximum cells per axis.
    static let cellsPerAxisMax = 64

    /// The smallest box around all boxes; nil if there are none.
    let box: GeoBox?
    private let boxes: [GeoBox]
    private let perAxis: Int
    /// For cell `row * perAxis + column`: indices of boxes, ascending.
    private let cells: [[Int32]]

    /// Creates a grid over boxes, which are identified by their index from then on.
    init(_ boxes: [GeoBox]) {
        self.boxes = boxes
        box = boxes.dropFirst().reduce(boxes.first) { $0?.union($1) }
        guard let box else {
            (perAxis, cells) = (0, [])
            return
        }
        // About 16 cells per box, so that most cells touch few boxes.
        let perAxis = max(1, min(Self.cellsPerAxisMax, Int(Double(boxes.count * 16).squareRoot().rounded(.up))))
        var cells = [[Int32]](repeating: [], count: perAxis * perAxis)
        for (position, shape) in boxes.enumerated() {
            let low = Self.cell(shape.south, shape.west, box, perAxis)
            let high = Self.cell(shape.north, shape.east, box, perAxis)
            for row in low.row...high.row {
                for column in low.column...high.column { cells[row * perAxis + column].append(Int32(position)) }
            }
        }
        (self.perAxis, self.cells) = (perAxis, cells)
    }

    /// Indices of the boxes that may contain the point, ascending.
    func candidates(at point: GeoPoint) -> [Int32] {
        guard let box, box.contains(point) else { return [] }
        let cell = Self.cell(point.latitude, point.longitude, box, perAxis)
        return cells[cell.row * perAxis + cell.column]
    }

    /// Whether any box that touches an area passes a test; each box is tested at most once. O(cells of the area and
    /// boxes in them).
    func contains(touching area: GeoBox, where test: (Int) -> Bool) -> Bool {
        guard let box, box.intersects(area) else { return false }
        let low = Self.cell(area.south, area.west, box, perAxis)
        let high = Self.cell(area.north, area.east, box, perAxis)
        for row in low.row...high.row {
            for column in low.column...high.column {
                for position in cells[row * perAxis + column] {
                    let shape = boxes[Int(position)]
                    let first = Self.cell(shape.south, shape.west, box, perAxis)
                    // Test the box only in the first cell that it shares with the area.
                    guard max(first.row, low.row) == row, max(first.column, low.column) == column,
                        shape.intersects(area)
                    else { continue }
                    if test(Int(position)) { return true }
                }
            }
        }
        return false
    }

    /// The cell of a position inside `box`. Monotone in both coordinates, so a point never falls outside the cells of a
    /// box that contains it.
    private static func cell(
        _ latitude: Double, _ longitude: Double, _ box: GeoBox, _ perAxis: Int
    ) -> (row: Int, column: Int) {
        func slot(_ value: Double, _ low: Double, _ high: Double) -> Int {
            guard high > low else { return 0 }
            return max(0, min(perAxis - 1, Int((value - low) / (high - low) * Double(perAxis))))
        }
        return (slot(latitude, box.south, box.north), slot(longitude, box.west, box.east))
    }
}
