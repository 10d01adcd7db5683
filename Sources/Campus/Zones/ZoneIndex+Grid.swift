extension ZoneIndex {
    /// Maximum number of cells in a grid.
    public static let gridTargetCellsMax = 676

    /// Divides a box into roughly square zones, for a campus without named areas.
    ///
    /// Rows are lettered from the south, columns numbered from the west: `A1` is the south-west corner. The same box
    /// and target always give the same refs and borders.
    /// - Parameters:
    ///   - box: The area to cover; it must have width and height.
    ///   - targetCells: Approximate number of zones, clamped to 1…``gridTargetCellsMax``.
    /// - Throws: ``GeoError/ringFlat`` if the box has no width or no height.
    public static func grid(over box: GeoBox, targetCells: Int = 12) throws(GeoError) -> [ZoneDraft] {
        guard box.widthMetres > 0, box.heightMetres > 0 else { throw .ringFlat }
        let target = Double(max(1, min(gridTargetCellsMax, targetCells)))
        let aspect = box.widthMetres / box.heightMetres
        // At most as many rows as letters.
        let rows = max(1, min(26, Int((target / aspect).squareRoot().rounded())))
        let columns = max(1, min(Int(target), Int((target / Double(rows)).rounded())))
        func latitude(_ row: Int) -> Double {
            row == rows ? box.north : box.south + (box.north - box.south) * Double(row) / Double(rows)
        }
        func longitude(_ column: Int) -> Double {
            column == columns ? box.east : box.west + (box.east - box.west) * Double(column) / Double(columns)
        }
        var drafts: [ZoneDraft] = []
        for row in 0..<rows {
            let letter = Character(UnicodeScalar(UInt8(ascii: "A") + UInt8(row)))
            for column in 0..<columns {
                let cell = GeoBox(
                    trustedSouth: latitude(row), west: longitude(column), north: latitude(row + 1),
                    east: longitude(column + 1))
                let ref = "\(letter)\(column + 1)"
                drafts.append(ZoneDraft(ref: ref, name: "Sector \(ref)", polygons: [try cell.polygon()]))
            }
        }
        return drafts
    }
}
