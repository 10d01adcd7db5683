import Campus
import Hub
import Wire

/// Turns judged points into the route that is drawn: pieces, broken where nothing was measured.
///
/// Only points that are believed are drawn. A pause, a gap, a jump or a ride in a vehicle breaks the line, so that no
/// straight stroke pretends that somebody ran there.
struct RouteBuilder: Sendable, Equatable {
    private var isBroken = true

    /// What the next point adds.
    mutating func add(_ position: LatLon, reason: GPSFilter.Reason?, to pieces: inout [RoutePiece]) {
        switch reason {
        case nil:
            draw(position, onto: &pieces)
        case .first, .resumed, .gap, .reanchored:
            isBroken = true
            draw(position, onto: &pieces)
        case .vehicle, .teleport, .tooFast:
            isBroken = isBroken || reason != .tooFast
        case .drift, .paused, .poorAccuracy, .duplicateTime, .backwardTime:
            break
        }
    }

    private mutating func draw(_ position: LatLon, onto pieces: inout [RoutePiece]) {
        if isBroken || pieces.isEmpty {
            pieces.append(RoutePiece(points: [position], startsPiece: isBroken))
            isBroken = false
        } else {
            pieces[pieces.count - 1].points.append(position)
        }
    }

    /// Whether a point with this verdict moves the dot on the map.
    static func isShown(_ reason: GPSFilter.Reason?) -> Bool {
        switch reason {
        case nil, .first, .resumed, .gap, .reanchored, .drift, .vehicle: true
        case .teleport, .tooFast, .paused, .poorAccuracy, .duplicateTime, .backwardTime: false
        }
    }
}
