/// `tracking.points` as a binary message, for phones that send one every second (B-3): a fifth of its JSON form, and read in a
/// fraction of the time.
///
/// The answer is a ``TrackReply`` with the same id. All numbers are whole; the layout is in the article on binary frames.
public struct TrackFrame: Sendable, Equatable {
    /// The first byte of every frame of this kind, `T`.
    public static let kind: UInt8 = 0x54
    /// Of the layout.
    public static let version: UInt8 = 1
    /// Of a degree, in which positions are told: 1.1 cm.
    static let degreeSteps = 1e7

    /// The client's own number for the request, which its answer has, too.
    public var id: UInt32
    /// The session's number.
    public var session: Int64
    /// 1 to 500.
    public var points: [TrackPoint]

    public init(id: UInt32, session: Int64, points: [TrackPoint]) {
        self.id = id
        self.session = session
        self.points = points
    }

    private enum Flag {
        static let accuracy: UInt8 = 0x01
        static let altitude: UInt8 = 0x02
        static let speed: UInt8 = 0x04
        static let heading: UInt8 = 0x08
        static let all: UInt8 = 0x0F
    }

    /// The bytes of the message. O(points).
    /// - Throws: ``BinaryFrameError`` for what is no number, or so large that a frame cannot hold it.
    public func encoded() throws(BinaryFrameError) -> [UInt8] {
        var writer = BinaryWriter()
        writer.byte(Self.kind)
        writer.byte(Self.version)
        writer.varint(id)
        writer.varint(session)
        writer.varint(points.count)
        var last = Last()
        for point in points {
            writer.byte(Self.flags(of: point))
            try last.seq.write(point.seq, &writer)
            try last.time.write(point.time.milliseconds, &writer)
            try last.lat.write(Self.whole(point.lat * Self.degreeSteps), &writer)
            try last.lon.write(Self.whole(point.lon * Self.degreeSteps), &writer)
            if let accuracy = point.accuracy { writer.signed(try Self.whole(accuracy * 10)) }
            if let altitude = point.altitude { writer.signed(try Self.whole(altitude * 10)) }
            if let speed = point.speed { writer.signed(try Self.whole(speed * 100)) }
            if let heading = point.heading { writer.signed(try Self.whole(heading * 100)) }
        }
        return writer.bytes
    }

    /// The point as a frame tells it: what is read of it is exactly this. Values that a frame cannot hold stay as they are.
    public static func rounded(_ point: TrackPoint) -> TrackPoint {
        func round(_ value: Double, _ steps: Double) -> Double {
            (try? whole(value * steps)).map { Double($0) / steps } ?? value
        }
        var rounded = point
        rounded.lat = round(point.lat, degreeSteps)
        rounded.lon = round(point.lon, degreeSteps)
        rounded.accuracy = point.accuracy.map { round($0, 10) }
        rounded.altitude = point.altitude.map { round($0, 10) }
        rounded.speed = point.speed.map { round($0, 100) }
        rounded.heading = point.heading.map { round($0, 100) }
        return rounded
    }

    private static func flags(of point: TrackPoint) -> UInt8 {
        (point.accuracy == nil ? 0 : Flag.accuracy) | (point.altitude == nil ? 0 : Flag.altitude)
            | (point.speed == nil ? 0 : Flag.speed) | (point.heading == nil ? 0 : Flag.heading)
    }

    private static func whole(_ value: Double) throws(BinaryFrameError) -> Int64 {
        guard value.isFinite, abs(value) <= Double(Delta.valueMax) else {
            throw BinaryFrameError("a point holds what is no number, or too large")
        }
        return Int64(value.rounded())
    }

    /// Reads a message. Whether the values are in their ranges is not its concern.
    /// - Throws: ``BinaryFrameError`` when it is none.
    public init(decoding bytes: [UInt8]) throws(BinaryFrameError) {
        var reader = BinaryReader(bytes)
        guard try reader.byte() == Self.kind else { throw BinaryFrameError("this is no frame of points") }
        guard try reader.byte() == Self.version else {
            throw BinaryFrameError("this version of frames of points is not known")
        }
        id = UInt32(try reader.varint(max: Int(UInt32.max), "the id"))
        session = Int64(try reader.varint())
        let count = try reader.varint(max: TrackingPoints.pointsPerRequestMax, "the number of points")
        var last = Last()
        points = []
        for _ in 0..<count {
            let flags = try reader.byte()
            guard flags & ~Flag.all == 0 else { throw BinaryFrameError("unknown flags of a point") }
            let seq = try last.seq.read(&reader)
            let time = Timestamp(milliseconds: try last.time.read(&reader))
            let lat = Double(try last.lat.read(&reader)) / Self.degreeSteps
            let lon = Double(try last.lon.read(&reader)) / Self.degreeSteps
            var point = TrackPoint(seq: seq, lat: lat, lon: lon, time: time)
            if flags & Flag.accuracy != 0 { point.accuracy = Double(try reader.signed()) / 10 }
            if flags & Flag.altitude != 0 { point.altitude = Double(try reader.signed()) / 10 }
            if flags & Flag.speed != 0 { point.speed = Double(try reader.signed()) / 100 }
            if flags & Flag.heading != 0 { point.heading = Double(try reader.signed()) / 100 }
            points.append(point)
        }
        guard reader.isAtEnd else { throw BinaryFrameError("the frame goes on behind its end") }
    }

    /// What each point is told against.
    private struct Last {
        var seq = Delta()
        var time = Delta()
        var lat = Delta()
        var lon = Delta()
    }
}

/// A row of numbers, each told as the difference to the one before.
private struct Delta {
    /// So that differences, too, are numbers that a frame can hold.
    static let valueMax: Int64 = 1 << 51 - 1
    private var last: Int64 = 0

    mutating func write(_ value: Int64, _ writer: inout BinaryWriter) throws(BinaryFrameError) {
        guard abs(value) <= Self.valueMax else { throw BinaryFrameError("a point holds a number that is too large") }
        writer.signed(value - last)
        last = value
    }

    mutating func read(_ reader: inout BinaryReader) throws(BinaryFrameError) -> Int64 {
        let value = last + (try reader.signed())
        guard abs(value) <= Self.valueMax else { throw BinaryFrameError("a point holds a number that is too large") }
        last = value
        return value
    }
}
