/// The visible section of a map, as the cells whose area feeds it receives (B-2).
///
/// Few cells cover a map at any zoom, because wide views use large cells. A position therefore goes into at most one
/// area feed per level of ``levels``, and a viewer receives at most ``cellsMax`` frames per tick.
public struct Viewport: Sendable, Hashable {
    /// The zooms of the cells.
    public static let levels: [UInt8] = [2, 5, 8, 11, 13, 15, 17]
    /// Maximum cells of one viewport.
    public static let cellsMax = 24

    /// The visible area.
    public let box: GeoBox
    /// The cells that cover the box, all of one zoom.
    public let cells: [Cell]

    public var level: UInt8 { cells.first?.zoom ?? Self.levels[0] }

    /// - Parameters:
    ///   - box: The visible area.
    ///   - zoom: The map's zoom, as web maps count it. The cells are at least as large as the map's tiles.
    public init(box: GeoBox, zoom: Double) {
        self.box = box
        // The world has 16 cells at the widest level, so at least one level fits.
        let found = Self.levels.reversed().lazy.filter { Double($0) <= zoom || $0 == Self.levels[0] }
            .compactMap { Cell.covering(box, zoom: $0, cellsMax: Self.cellsMax) }.first
        cells = found ?? []
    }
}
