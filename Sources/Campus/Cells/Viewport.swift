/// What a map shows, as the cells that are fanned out to it (B-2).
///
/// A map is covered by few cells whatever its zoom: wide views get large cells. So a position goes into at most
/// ``levels`` pictures, and a viewer gets at most ``cellsMax`` frames a tick.
public struct Viewport: Sendable, Hashable {
    /// The zooms that cells have.
    public static let levels: [UInt8] = [2, 5, 8, 11, 13, 15, 17]
    /// Cells of one viewport.
    public static let cellsMax = 24

    /// What is shown.
    public let box: GeoBox
    /// The cells that cover it, all of one zoom.
    public let cells: [Cell]

    /// The cells' zoom.
    public var level: UInt8 { cells.first?.zoom ?? Self.levels[0] }

    /// - Parameters:
    ///   - box: What is shown.
    ///   - zoom: The map's, as web maps count it: bigger cells than its tiles are taken.
    public init(box: GeoBox, zoom: Double) {
        self.box = box
        // The world is 16 cells of the widest level, so there is always one that will do.
        let found = Self.levels.reversed().lazy.filter { Double($0) <= zoom || $0 == Self.levels[0] }
            .compactMap { Cell.covering(box, zoom: $0, cellsMax: Self.cellsMax) }.first
        cells = found ?? []
    }
}
