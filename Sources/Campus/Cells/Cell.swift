import Foundation

/// A map tile in the scheme of web maps (Web Mercator, EPSG:3857). At zoom z the world has 2^z columns from the west
/// and 2^z rows from the north. Positions are broadcast by cell, so that a cell's data is encoded once for all its
/// viewers (B-2).
///
/// Every point is in exactly one cell of each zoom. A cell includes its northern and western edges. Beyond ±85.05° the
/// first and the last row extend to the poles.
public struct Cell: Sendable, Hashable {
    /// The supported zooms. At 20 a cell is about 28 m wide in the middle latitudes.
    public static let zoomRange: ClosedRange<UInt8> = 0...20

    /// The zoom level: the world has 2^zoom columns and rows.
    public let zoom: UInt8
    /// Column from the west.
    public let x: UInt32
    /// Row from the north.
    public let y: UInt32

    /// - Returns: Nil if the cell does not exist.
    public init?(zoom: UInt8, x: UInt32, y: UInt32) {
        guard Self.zoomRange.contains(zoom), x < 1 << UInt32(zoom), y < 1 << UInt32(zoom) else { return nil }
        self.init(trustedZoom: zoom, x: x, y: y)
    }

    private init(trustedZoom zoom: UInt8, x: UInt32, y: UInt32) { (self.zoom, self.x, self.y) = (zoom, x, y) }

    /// The cell that contains a point.
    /// - Parameter zoom: Clamped to ``zoomRange``.
    public init(containing point: GeoPoint, zoom: UInt8) {
        let zoom = min(zoom, Self.zoomRange.upperBound)
        let scale = Double(1 << Int(zoom))
        let latitude = point.latitude * .pi / 180
        let column = (point.longitude + 180) / 360
        let row = (1 - asinh(tan(latitude)) / .pi) / 2
        self.init(
            trustedZoom: zoom, x: Self.index(column * scale, below: scale), y: Self.index(row * scale, below: scale))
    }

    /// Clamps the index, because the poles are infinitely far away in this projection.
    private static func index(_ value: Double, below limit: Double) -> UInt32 {
        UInt32(max(0, min(value.rounded(.down), limit - 1)))
    }

    /// The enclosing cell of a lower zoom. Returns the cell itself for its own or a higher zoom.
    public func ancestor(zoom: UInt8) -> Cell {
        guard zoom < self.zoom else { return self }
        let steps = UInt32(self.zoom - zoom)
        return Cell(trustedZoom: zoom, x: x >> steps, y: y >> steps)
    }

    /// The cell's edges, without the extension of the outermost rows beyond ±85.05°.
    public var box: GeoBox {
        GeoBox(
            trustedSouth: Self.latitude(y + 1, zoom), west: Self.longitude(x, zoom), north: Self.latitude(y, zoom),
            east: Self.longitude(x + 1, zoom))
    }

    private static func longitude(_ x: UInt32, _ zoom: UInt8) -> Double {
        Double(x) / Double(1 << Int(zoom)) * 360 - 180
    }

    private static func latitude(_ y: UInt32, _ zoom: UInt8) -> Double {
        let rows = Double(1 << Int(zoom))
        let mercator: Double = .pi * (1 - 2 * Double(y) / rows)
        return atan(sinh(mercator)) * 180 / .pi
    }

    /// The cells that cover a box, row by row from the north-west. O(cells).
    /// - Returns: Nil if there are more than `cellsMax`.
    public static func covering(_ box: GeoBox, zoom: UInt8, cellsMax: Int) -> [Cell]? {
        let first = Cell(containing: box.northWest, zoom: zoom)
        let last = Cell(containing: box.southEast, zoom: zoom)
        let (columns, rows) = (Int(last.x) - Int(first.x) + 1, Int(last.y) - Int(first.y) + 1)
        guard columns * rows <= cellsMax else { return nil }
        return (first.y...last.y).flatMap { y in
            (first.x...last.x).map { Cell(trustedZoom: first.zoom, x: $0, y: y) }
        }
    }
}
