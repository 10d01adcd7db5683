import Campus
import Hub
import Wire

/// Converts judged points into the drawn route: pieces that are interrupted where nothing was measured.
///
/// Only credible points are drawn. A pause, a gap, a jump or a ride in a vehicle interrupts the line, so that no straight line suggests
/// movement that was not measured.
struct RouteBuilder: Sendable, Equatable {
    private var isBroken = true

    /// Adds the next point to the route.
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

    /// Whether a point with this verdict moves the live marker.
    static func isShown(_ reason: GPSFilter.Reason?) -> Bool {
        switch reason {
        case nil, .first, .resumed, .gap, .reanchored, .drift, .vehicle: true
        case .teleport, .tooFast, .paused, .poorAccuracy, .duplicateTime, .backwardTime: false
        }
    }
}
