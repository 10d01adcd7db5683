import Campus
import Wire

/// A part of the map whose runners are shown together: a zone of the campus, or a cell.
public enum Area: Sendable, Hashable {
    /// A zone, whole.
    case zone(Int64)
    /// A cell, of one of the levels of viewports.
    case cell(Cell)

    /// What its viewers hear it by.
    public var topic: Topic {
        switch self {
        case .zone(let id): .zonePositions(id)
        case .cell(let cell): .cellPositions(cell)
        }
    }

    /// Its name in binary frames.
    var picture: PositionFrame.Picture {
        switch self {
        case .zone(let id): .zone(id)
        case .cell(let cell): .cell(zoom: cell.zoom, x: cell.x, y: cell.y)
        }
    }

    /// What positions in it are rounded to. A zone's raster begins where the equator meets Greenwich, as the hub does not know
    /// how zones lie: that makes first positions a few bytes longer.
    var grid: PositionGrid {
        switch self {
        case .zone: PositionGrid(origin: LatLon(0, 0), latitudes: 0...0)
        case .cell(let cell):
            PositionGrid(
                origin: LatLon(cell.box.south, cell.box.west), latitudes: cell.box.south...cell.box.north)
        }
    }
}
