import Campus
import HubCore
import Wire

/// A part of the map whose runners are published together: a zone of the campus, or a cell.
public enum Area: Sendable, Hashable {
    /// A whole zone.
    case zone(Int64)
    /// A cell of one of the levels of viewports.
    case cell(Cell)

    /// Topic of the area's positions.
    public var topic: Topic {
        switch self {
        case .zone(let id): .zonePositions(id)
        case .cell(let cell): .cellPositions(cell)
        }
    }

    /// The area's identifier in binary frames.
    var frameArea: PositionFrame.Area {
        switch self {
        case .zone(let id): .zone(id)
        case .cell(let cell): .cell(zoom: cell.zoom, x: cell.x, y: cell.y)
        }
    }

    /// Grid to which positions in the area are rounded. A zone's grid has its origin at 0° N, 0° E, because the hub does not know the
    /// zone's bounds: first positions are a few bytes longer for that.
    var grid: PositionGrid {
        switch self {
        case .zone: PositionGrid(origin: LatLon(0, 0), latitudes: 0...0)
        case .cell(let cell):
            PositionGrid(
                origin: LatLon(cell.box.south, cell.box.west), latitudes: cell.box.south...cell.box.north)
        }
    }
}

extension Topic {
    /// The area of a positions topic; nil for any other.
    public var area: Area? {
        switch self {
        case .zonePositions(let id): .zone(id)
        case .cellPositions(let cell): .cell(cell)
        case .session, .notices, .campusNotices, .zoneNotices, .chat, .user, .heatmap, .share, .people, .route,
            .workout, .test:
            nil
        }
    }
}
