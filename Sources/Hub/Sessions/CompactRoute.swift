import Wire

/// A route in compact form: four to five bytes a point while a person runs, where two `Double` take sixteen. The hub keeps thousands of
/// routes for hours. Points are rounded to about the resolution at which phones report positions; see ``RouteGrid``.
struct CompactRoute {
    /// Bytes that a piece grows by. Doubling, as arrays do, would leave half of the memory of all routes unused.
    private static let growthBytes = 256

    /// Points that follow each other without a gap, each as the difference to the one before.
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
                // The piece wrote these bytes itself, so that they can be read.
                guard let latitude = try? reader.signed(), let longitude = try? reader.signed() else { return nil }
                at = (at.latitude + latitude, at.longitude + longitude)
                return LatLon(RouteGrid.degrees(at.latitude), RouteGrid.degrees(at.longitude))
            }
        }
    }

    private var pieces: [Piece] = []
    /// Points of all pieces.
    private(set) var count = 0

    init(_ route: [[LatLon]]) {
        for piece in route {
            startPiece()
            append(piece)
        }
    }

    var isEmpty: Bool { pieces.isEmpty }

    /// All pieces, decoded. O(points).
    var points: [[LatLon]] { pieces.map(\.points) }

    /// Begins a new piece.
    mutating func startPiece() { pieces.append(Piece()) }

    /// Appends to the newest piece, which must exist. O(points), and now and then the piece is copied.
    mutating func append(_ points: [LatLon]) {
        for point in points { pieces[pieces.count - 1].append(point) }
        count += points.count
    }

    /// Drops every second point, except the ends of pieces, until there are at most `countMax`. When only ends are left, the oldest
    /// pieces are dropped.
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
