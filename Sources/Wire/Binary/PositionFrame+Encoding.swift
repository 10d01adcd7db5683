/// Flags of a runner's record. The lowest three bits are its state.
private enum Flag {
    static let heading: UInt8 = 0x08
    /// In a `moved` record: the point changed. In an `entered` record: the activity is `cycle`.
    static let point: UInt8 = 0x10
    static let cycle: UInt8 = 0x10
    /// In a `moved` record: the distance changed. In an `entered` record: the runner is simulated.
    static let distance: UInt8 = 0x20
    static let simulated: UInt8 = 0x20
    /// In a `moved` record: the clock does not continue as extrapolated.
    static let clock: UInt8 = 0x40
    static let state: UInt8 = 0x07
}

extension PositionFrame {
    /// Bytes of the message, in O(records).
    public var encoded: [UInt8] {
        var writer = BinaryWriter()
        writer.byte(Self.kind)
        writer.byte(Self.version)
        writer.byte(grid == nil ? 0 : 1)
        Self.write(area, &writer)
        writer.varint(sequence)
        writer.varint(serverTime.milliseconds)
        if let grid {
            writer.signed(Int64(grid.originLat))
            writer.signed(Int64(grid.originLon))
            writer.varint(grid.latStep)
            writer.varint(grid.lonStep)
        }
        writer.varint(left.count)
        for one in left { Self.write(one, &writer) }
        writer.varint(entered.count)
        for one in entered { Self.write(one, &writer) }
        writer.varint(moved.count)
        var next: UInt32 = 0
        for one in moved {
            writer.varint(one.handle &- next)
            next = one.handle &+ 1
            Self.write(one, &writer)
        }
        return writer.bytes
    }

    static func write(_ area: Area, _ writer: inout BinaryWriter) {
        switch area {
        case .cell(let zoom, let x, let y):
            writer.byte(0)
            writer.byte(zoom)
            writer.varint(x)
            writer.varint(y)
        case .zone(let id):
            writer.byte(1)
            writer.varint(id)
        }
    }

    private static func write(_ left: Left, _ writer: inout BinaryWriter) {
        writer.varint(left.handle)
        writer.byte(left.reason.code)
        writer.varint(left.to ?? 0)
    }

    private static func write(_ entered: Entered, _ writer: inout BinaryWriter) {
        writer.varint(entered.handle)
        writer.varint(entered.session)
        writer.text(entered.name)
        writer.text(entered.title)
        writer.varint(entered.zone ?? 0)
        let motion = entered.motion
        writer.byte(
            motion.state.code | (motion.heading == nil ? 0 : Flag.heading)
                | (entered.activity == .cycle ? Flag.cycle : 0) | (entered.simulated ? Flag.simulated : 0))
        write(motion.point, &writer)
        write(motion, &writer)
        writer.varint(entered.distance)
        write(entered.clock, &writer)
    }

    private static func write(_ moved: Moved, _ writer: inout BinaryWriter) {
        let motion = moved.motion
        let isMoved = motion.point != PositionGrid.Point(x: 0, y: 0)
        writer.byte(
            motion.state.code | (motion.heading == nil ? 0 : Flag.heading) | (isMoved ? Flag.point : 0)
                | (moved.distance == 0 ? 0 : Flag.distance) | (moved.clock == nil ? 0 : Flag.clock))
        if isMoved { write(motion.point, &writer) }
        write(motion, &writer)
        if moved.distance != 0 { writer.signed(moved.distance) }
        if let clock = moved.clock { write(clock, &writer) }
    }

    private static func write(_ point: PositionGrid.Point, _ writer: inout BinaryWriter) {
        writer.signed(Int64(point.x))
        writer.signed(Int64(point.y))
    }

    /// Writes a motion without its point and flags.
    private static func write(_ motion: Motion, _ writer: inout BinaryWriter) {
        writer.varint(motion.age)
        if motion.state == .moving { writer.varint(motion.speed) }
        if let heading = motion.heading { writer.byte(heading) }
    }

    private static func write(_ clock: Clock, _ writer: inout BinaryWriter) {
        writer.varint(clock.elapsed)
        writer.varint(clock.rate)
    }
}

extension PositionFrame {
    /// Decodes a message.
    /// - Throws: ``BinaryFrameError`` for bytes that ``encoded`` cannot produce.
    public init(decoding bytes: [UInt8]) throws(BinaryFrameError) {
        var reader = BinaryReader(bytes)
        guard try reader.byte() == Self.kind else { throw BinaryFrameError("this is no frame of positions") }
        guard try reader.byte() == Self.version else {
            throw BinaryFrameError("this version of position frames is not known")
        }
        let isSnapshot = try reader.byte()
        guard isSnapshot <= 1 else { throw BinaryFrameError("unknown flags of a frame") }
        area = try Self.area(&reader)
        sequence = UInt32(try reader.varint(max: Int(UInt32.max), "sequence"))
        serverTime = Timestamp(milliseconds: Int64(try reader.varint(max: Self.millisecondsMax, "time")))
        grid = isSnapshot == 1 ? try Self.grid(&reader) : nil
        (left, entered, moved) = ([], [], [])
        for _ in 0..<(try reader.varint(max: Self.runnersMax, "a count")) { left.append(try Self.left(&reader)) }
        for _ in 0..<(try reader.varint(max: Self.runnersMax, "a count")) { entered.append(try Self.entered(&reader)) }
        var next = 0
        for _ in 0..<(try reader.varint(max: Self.runnersMax, "a count")) {
            let handle = next + (try Self.handle(&reader))
            guard handle < Self.runnersMax else { throw BinaryFrameError("a handle is out of its range") }
            moved.append(try Self.moved(&reader, UInt32(handle)))
            next = handle + 1
        }
        guard reader.isAtEnd else { throw BinaryFrameError("there is more than one frame") }
    }

    private static var millisecondsMax: Int { Int(Timestamp.millisecondsRange.upperBound) }

    private static func handle(_ reader: inout BinaryReader) throws(BinaryFrameError) -> Int {
        try reader.varint(max: runnersMax - 1, "a handle")
    }

    private static func zone(_ reader: inout BinaryReader) throws(BinaryFrameError) -> Int64? {
        let id = try reader.varint(max: .max, "a zone")
        return id == 0 ? nil : Int64(id)
    }

    static func area(_ reader: inout BinaryReader) throws(BinaryFrameError) -> Area {
        switch try reader.byte() {
        case 0:
            let zoom = try reader.byte()
            guard zoom <= 30 else { throw BinaryFrameError("zoom is out of its range") }
            let last = 1 << Int(zoom) - 1
            return .cell(
                zoom: zoom, x: UInt32(try reader.varint(max: last, "a column")),
                y: UInt32(try reader.varint(max: last, "a row")))
        case 1: return .zone(Int64(try reader.varint(max: .max, "a zone")))
        default: throw BinaryFrameError("there is no such kind of area")
        }
    }

    private static func grid(_ reader: inout BinaryReader) throws(BinaryFrameError) -> PositionGrid {
        let lat = try reader.signed(in: -900_000_000...900_000_000, "a latitude")
        let lon = try reader.signed(in: -1_800_000_000...1_800_000_000, "a longitude")
        let latStep = try reader.varint(max: Int(UInt16.max), "a step")
        let lonStep = try reader.varint(max: Int(UInt16.max), "a step")
        guard latStep > 0, lonStep > 0 else { throw BinaryFrameError("a step is out of its range") }
        return PositionGrid(
            originLat: Int32(lat), originLon: Int32(lon), latStep: UInt16(latStep), lonStep: UInt16(lonStep))
    }

    private static func left(_ reader: inout BinaryReader) throws(BinaryFrameError) -> Left {
        Left(
            handle: UInt32(try handle(&reader)), reason: try .init(code: try reader.byte()), to: try zone(&reader))
    }

    private static func entered(_ reader: inout BinaryReader) throws(BinaryFrameError) -> Entered {
        let handle = UInt32(try handle(&reader))
        let session = Int64(try reader.varint(max: .max, "a session"))
        let name = try reader.text(bytesMax: textBytesMax, "a name")
        let title = try reader.text(bytesMax: textBytesMax, "a title")
        let zone = try zone(&reader)
        let flags = try reader.byte()
        guard flags & ~(Flag.state | Flag.heading | Flag.cycle | Flag.simulated) == 0 else {
            throw BinaryFrameError("unknown flags of a runner")
        }
        let motion = try motion(&reader, flags, at: try point(&reader))
        return Entered(
            handle: handle, session: session, name: name, title: title,
            activity: flags & Flag.cycle == 0 ? .run : .cycle, simulated: flags & Flag.simulated != 0, zone: zone,
            motion: motion, distance: try reader.varint(), clock: try clock(&reader))
    }

    private static func moved(_ reader: inout BinaryReader, _ handle: UInt32) throws(BinaryFrameError) -> Moved {
        let flags = try reader.byte()
        guard flags & 0x80 == 0 else { throw BinaryFrameError("unknown flags of a runner") }
        let point = flags & Flag.point == 0 ? PositionGrid.Point(x: 0, y: 0) : try point(&reader)
        let motion = try motion(&reader, flags, at: point)
        let distance = flags & Flag.distance == 0 ? 0 : try reader.signed()
        return Moved(
            handle: handle, motion: motion, distance: distance,
            clock: flags & Flag.clock == 0 ? nil : try clock(&reader))
    }

    private static func point(_ reader: inout BinaryReader) throws(BinaryFrameError) -> PositionGrid.Point {
        let range = Int64(Int32.min)...Int64(Int32.max)
        let x = try reader.signed(in: range, "a column")
        return PositionGrid.Point(x: Int32(x), y: Int32(try reader.signed(in: range, "a row")))
    }

    private static func motion(
        _ reader: inout BinaryReader, _ flags: UInt8, at point: PositionGrid.Point
    ) throws(BinaryFrameError) -> Motion {
        let state = try RunnerState(code: flags & Flag.state)
        let age = try reader.varint()
        let speed = state == .moving ? try reader.varint(max: Int(UInt32.max), "a speed") : 0
        let heading = flags & Flag.heading == 0 ? nil : try reader.byte()
        return Motion(state: state, point: point, age: age, speed: UInt32(speed), heading: heading)
    }

    private static func clock(_ reader: inout BinaryReader) throws(BinaryFrameError) -> Clock {
        Clock(
            elapsed: try reader.varint(), rate: UInt32(try reader.varint(max: Int(UInt32.max), "a rate")))
    }
}
