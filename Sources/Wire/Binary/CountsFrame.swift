/// Counts of a crowded cell as a binary message: the compact form of ``CountsUpdate``, sent instead of ``PositionFrame``.
///
/// Each frame contains the complete state, so that no frame depends on an earlier one. All numbers are integers; the PositionFrames
/// article describes the layout.
public struct CountsFrame: Sendable, Equatable {
    /// First byte of each frame of this kind, `C`.
    public static let kind: UInt8 = 0x43
    /// Version of the layout.
    public static let version: UInt8 = 1
    /// Units per degree of the positions: one unit is at most 1.1 m.
    public static let unitsPerDegree = 100_000.0
    /// Number of squares of a cell.
    static let squares = Cluster.side * Cluster.side

    /// One square with at least one runner.
    public struct Record: Sendable, Hashable {
        /// 0 to 63, as in ``Cluster/index``.
        public var index: UInt8
        /// Number of runners, at least 1.
        public var count: UInt32
        /// Mean latitude in units.
        public var lat: Int32
        /// Mean longitude in units.
        public var lon: Int32

        public init(index: UInt8, count: UInt32, lat: Int32, lon: Int32) {
            (self.index, self.count, self.lat, self.lon) = (index, count, lat, lon)
        }
    }

    /// Area feed of the frame.
    public var area: PositionFrame.Area
    /// Clock of the server.
    public var serverTime: Timestamp
    /// Sorted by rising index.
    public var records: [Record]

    public init(area: PositionFrame.Area, serverTime: Timestamp, records: [Record]) {
        (self.area, self.serverTime, self.records) = (area, serverTime, records)
    }

    /// The frame in its JSON form.
    public var update: CountsUpdate {
        CountsUpdate(
            serverTime: serverTime,
            clusters: records.map { record in
                Cluster(
                    index: Int(record.index), count: Int(record.count),
                    lat: Double(record.lat) / Self.unitsPerDegree, lon: Double(record.lon) / Self.unitsPerDegree)
            })
    }

    /// Bytes of the message, in O(records).
    public var encoded: [UInt8] {
        var writer = BinaryWriter()
        writer.byte(Self.kind)
        writer.byte(Self.version)
        PositionFrame.write(area, &writer)
        writer.varint(serverTime.milliseconds)
        writer.varint(records.count)
        var (next, lat, lon) = (0, Int64(0), Int64(0))
        for record in records {
            writer.varint(Int(record.index) - next)
            writer.varint(record.count)
            writer.signed(Int64(record.lat) - lat)
            writer.signed(Int64(record.lon) - lon)
            (next, lat, lon) = (Int(record.index) + 1, Int64(record.lat), Int64(record.lon))
        }
        return writer.bytes
    }

    /// Decodes a message.
    /// - Throws: ``BinaryFrameError`` for bytes that ``encoded`` cannot produce.
    public init(decoding bytes: [UInt8]) throws(BinaryFrameError) {
        var reader = BinaryReader(bytes)
        guard try reader.byte() == Self.kind else { throw BinaryFrameError("this is no frame of counts") }
        guard try reader.byte() == Self.version else {
            throw BinaryFrameError("this version of frames of counts is not known")
        }
        area = try PositionFrame.area(&reader)
        serverTime = Timestamp(
            milliseconds: Int64(
                try reader.varint(max: Int(Timestamp.millisecondsRange.upperBound), "time")))
        records = []
        var (next, lat, lon) = (0, Int64(0), Int64(0))
        for _ in 0..<(try reader.varint(max: Self.squares, "a count")) {
            let index = next + (try reader.varint(max: Self.squares - 1, "a square"))
            guard index < Self.squares else { throw BinaryFrameError("a square is out of its range") }
            let count = try reader.varint(max: Int(UInt32.max), "a count")
            guard count > 0 else { throw BinaryFrameError("a square without people") }
            lat += try reader.signed()
            lon += try reader.signed()
            guard (-9_000_000...9_000_000).contains(lat), (-18_000_000...18_000_000).contains(lon) else {
                throw BinaryFrameError("a position is out of its range")
            }
            records.append(Record(index: UInt8(index), count: UInt32(count), lat: Int32(lat), lon: Int32(lon)))
            next = index + 1
        }
        guard reader.isAtEnd else { throw BinaryFrameError("there is more than one frame") }
    }
}
