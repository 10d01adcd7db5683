import Wire

/// A route as it is kept for hours, for thousands of sessions: four to five bytes a point while somebody runs, where two `Double`
/// take sixteen. Rounded to the steps in which phones tell positions; see ``RouteGrid``.
struct CompactRoute {
    /// Bytes that a piece grows by: to double, as arrays do, would hold half of everybody's route as nothing.
    private static let growthBytes = 256

    /// Points that follow each other without a gap: each is the difference to the one before.
    private struct Piece {
        private var writer = BinaryWriter()
        private var last = (latitude: Int64(0), longitude: Int64(0))
        private(set) var count = 0

        mutating func append(_ point: LatLon) {
            let now = (latitude: RouteGrid.index(point.latitude), longitude: RouteGrid.index(point.longitude))
            writer.reserve(2 * BinaryWriter.numberBytesMax, growth: CompactRoute.growthBytes)
            writer.signed(now.latitude - last.latitude)
            writer.signed(now.longitude - last.longitude)
            last = now
            count += 1
        }

        var points: [LatLon] {
            var reader = BinaryReader(writer.bytes)
            var at = (latitude: Int64(0), longitude: Int64(0))
            return (0..<count).compactMap { _ in
                // What was written can be read.
                guard let latitude = try? reader.signed(), let longitude = try? reader.signed() else { return nil }
                at = (at.latitude + latitude, at.longitude + longitude)
                return LatLon(RouteGrid.degrees(at.latitude), RouteGrid.degrees(at.longitude))
            }
        }
    }

    private var pieces: [Piece] = []
    /// Of all pieces.
    private(set) var count = 0

    init(_ route: [[LatLon]]) {
        for piece in route {
            startPiece()
            append(piece)
        }
    }

    var isEmpty: Bool { pieces.isEmpty }

    /// All of it. O(points).
    var points: [[LatLon]] { pieces.map(\.points) }

    /// What follows begins a piece.
    mutating func startPiece() { pieces.append(Piece()) }

    /// Goes on with the newest piece, of which there must be one. O(points), and now and then the piece is copied.
    mutating func append(_ points: [LatLon]) {
        for point in points { pieces[pieces.count - 1].append(point) }
        count += points.count
    }

    /// Drops every second point, but never an end of a piece, until there are no more than `countMax`. When only ends are left, the
    /// oldest pieces go.
    mutating func thin(to countMax: Int) {
        while count > countMax {
            let thinned = points.map { piece in
                piece.enumerated().filter { $0.offset % 2 == 0 || $0.offset == piece.count - 1 }.map(\.element)
            }
            let left = thinned.reduce(0) { $0 + $1.count }
            self = CompactRoute(left < count ? thinned : Array(thinned.dropFirst(thinned.count / 2)))
        }
    }
}

/// What points of routes and trails are rounded to, about a centimetre: as frames of points are. Newest positions are not.
enum RouteGrid {
    static let perDegree = 1e7

    static func index(_ degrees: Double) -> Int64 { Int64((degrees * perDegree).rounded()) }
    static func degrees(_ index: Int64) -> Double { Double(index) / perDegree }
}
