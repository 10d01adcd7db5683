/// Reply to a ``TrackFrame`` as a binary message, with the members of ``TrackingPoints/Result`` that a runner's phone needs.
public struct TrackReply: Sendable, Equatable {
    /// First byte of each frame of this kind, `t`.
    public static let kind: UInt8 = 0x74
    /// Version of the layout.
    public static let version: UInt8 = 1
    /// Highest number of bytes of an error's message or field, or of a reason.
    static let textBytesMax = 1_024

    /// Result of the request.
    public enum Outcome: Sendable, Equatable {
        /// The server has committed all points except the refused ones.
        case taken(Taken)
        /// The server may have committed none of the points. ``ErrorCode`` states whether to send them again.
        case failed(RPCError)
    }

    /// Counts of the request and the present state of the session.
    public struct Taken: Sendable, Equatable {
        /// Number of points that this request stored.
        public var stored: Int
        /// Number of points that were stored before.
        public var duplicates: Int
        /// Points that the server will never store.
        public var refused: [TrackingPoints.Remark]
        /// Stored points of this request that add no distance.
        public var notCounted: [TrackingPoints.Remark]
        public var state: SessionState
        /// Counted metres, rounded to 0.1.
        public var distance: Double
        /// Seconds without pauses, rounded to 0.1.
        public var elapsed: Double
        /// Seconds in which distance was counted, rounded to 0.1.
        public var moving: Double
        /// Number of stored points of the session.
        public var points: Int

        public init(
            stored: Int, duplicates: Int, refused: [TrackingPoints.Remark], notCounted: [TrackingPoints.Remark],
            state: SessionState, distance: Double, elapsed: Double, moving: Double, points: Int
        ) {
            self.stored = stored
            self.duplicates = duplicates
            self.refused = refused
            self.notCounted = notCounted
            self.state = state
            self.distance = distance
            self.elapsed = elapsed
            self.moving = moving
            self.points = points
        }
    }

    /// Id of the frame to which this replies; 0 for a frame that could not be decoded.
    public var id: UInt32
    public var outcome: Outcome

    public init(id: UInt32, _ outcome: Outcome) {
        self.id = id
        self.outcome = outcome
    }

    /// Bytes of the message, in O(refused and not counted points).
    public var encoded: [UInt8] {
        var writer = BinaryWriter()
        writer.byte(Self.kind)
        writer.byte(Self.version)
        writer.varint(id)
        switch outcome {
        case .taken(let taken):
            writer.byte(0)
            Self.write(taken, &writer)
        case .failed(let error):
            writer.byte(1)
            writer.signed(Int64(error.code))
            writer.varint(Self.tenths(error.data?.retryAfter.map { $0 + 0.1 } ?? 0))
            writer.text(Self.cut(error.message))
            writer.text(Self.cut(error.data?.field ?? ""))
            writer.text(Self.cut(error.data?.reference ?? ""))
        }
        return writer.bytes
    }

    private static func write(_ taken: Taken, _ writer: inout BinaryWriter) {
        writer.varint(taken.stored)
        writer.varint(taken.duplicates)
        for remarks in [taken.refused, taken.notCounted] {
            writer.varint(remarks.count)
            for remark in remarks {
                writer.varint(remark.seq)
                writer.text(cut(remark.reason))
            }
        }
        writer.byte(taken.state.code)
        writer.varint(tenths(taken.distance))
        writer.varint(tenths(taken.elapsed))
        writer.varint(tenths(taken.moving))
        writer.varint(taken.points)
    }

    private static func tenths(_ value: Double) -> UInt64 {
        value.isFinite ? UInt64((max(0, min(value, 1e14)) * 10).rounded()) : 0
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > textBytesMax else { return text }
        return String(decoding: Array(text.utf8.prefix(textBytesMax - 3)), as: UTF8.self)
    }

    /// Decodes a message.
    /// - Throws: ``BinaryFrameError`` for other bytes.
    public init(decoding bytes: [UInt8]) throws(BinaryFrameError) {
        var reader = BinaryReader(bytes)
        guard try reader.byte() == Self.kind else { throw BinaryFrameError("this is no answer to points") }
        guard try reader.byte() == Self.version else {
            throw BinaryFrameError("this version of answers to points is not known")
        }
        id = UInt32(try reader.varint(max: Int(UInt32.max), "the id"))
        switch try reader.byte() {
        case 0: outcome = .taken(try Self.taken(&reader))
        case 1: outcome = .failed(try Self.error(&reader))
        default: throw BinaryFrameError("there is no such outcome")
        }
        guard reader.isAtEnd else { throw BinaryFrameError("bytes follow the end of the frame") }
    }

    private static func taken(_ reader: inout BinaryReader) throws(BinaryFrameError) -> Taken {
        let most = TrackingPoints.pointsPerRequestMax
        let stored = try reader.varint(max: most, "the number of stored points")
        let duplicates = try reader.varint(max: most, "the number of duplicates")
        let refused = try remarks(&reader)
        let notCounted = try remarks(&reader)
        return Taken(
            stored: stored, duplicates: duplicates, refused: refused, notCounted: notCounted,
            state: try SessionState(code: reader.byte()), distance: Double(try reader.varint()) / 10,
            elapsed: Double(try reader.varint()) / 10, moving: Double(try reader.varint()) / 10,
            points: Int(try reader.varint()))
    }

    private static func remarks(_ reader: inout BinaryReader) throws(BinaryFrameError) -> [TrackingPoints.Remark] {
        let count = try reader.varint(max: TrackingPoints.pointsPerRequestMax, "the number of remarks")
        var remarks: [TrackingPoints.Remark] = []
        for _ in 0..<count {
            let seq = Int64(try reader.varint())
            remarks.append(.init(seq: seq, reason: try reader.text(bytesMax: textBytesMax, "a reason")))
        }
        return remarks
    }

    private static func error(_ reader: inout BinaryReader) throws(BinaryFrameError) -> RPCError {
        let code = Int(try reader.signed())
        let tenths = try reader.varint()
        let message = try reader.text(bytesMax: textBytesMax, "the message")
        let field = try reader.text(bytesMax: textBytesMax, "the field")
        let reference = try reader.text(bytesMax: textBytesMax, "the reference")
        var error = RPCError(
            ErrorCode(rawValue: code) ?? .internalError, message, field: field.isEmpty ? nil : field,
            retryAfter: tenths == 0 ? nil : Double(tenths - 1) / 10, reference: reference.isEmpty ? nil : reference)
        // The code of a newer server is preserved.
        error.code = code
        return error
    }
}

extension SessionState {
    /// Code of the state in binary frames.
    var code: UInt8 {
        switch self {
        case .running: 0
        case .paused: 1
        case .finished: 2
        }
    }

    init(code: UInt8) throws(BinaryFrameError) {
        switch code {
        case 0: self = .running
        case 1: self = .paused
        case 2: self = .finished
        default: throw BinaryFrameError("there is no such state of a session")
        }
    }
}

extension TrackReply.Taken {
    /// The members of a result that a phone needs.
    public init(_ result: TrackingPoints.Result) {
        self.init(
            stored: result.stored, duplicates: result.duplicates, refused: result.refused,
            notCounted: result.notCounted, state: result.session.state, distance: result.session.distance,
            elapsed: result.session.elapsed, moving: result.session.moving, points: result.session.points)
    }
}
