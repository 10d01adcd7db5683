/// Wire format of a bus frame: a header with the sending node and a sequence, and a payload. Version 1; numbers are big-endian.
///
/// | byte | |
/// |---|---|
/// | 0 | version, 1 |
/// | 1 | kind: 1 message, 2 request, 3 reply, 4 heartbeat, 5 sync request |
/// | 2 | flags: 1 = first message to its subject (message, request), the node leaves (heartbeat) |
/// | 3 | 0 |
/// | 4-11 | the sending node |
/// | 12-19 | sequence, see below |
/// | 20-27 | number of the request (requests only) |
///
/// The sequence counts the node's messages and requests to this subject, its heartbeats, or its sync requests. In a reply it is the
/// number of the request.
struct BusFrame {
    enum Kind: UInt8 {
        case message = 1
        case request, reply, heartbeat, syncRequest
    }
    static let version: UInt8 = 1
    static let headBytes = 20
    static let requestHeadBytes = 28
    static let flag: UInt8 = 1

    let kind: Kind
    let isFlagged: Bool
    let node: NodeID
    let sequence: UInt64
    /// Number of a request; nil for other kinds.
    let request: UInt64?

    func encoded(_ payload: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.requestHeadBytes + payload.count)
        bytes.append(Self.version)
        bytes.append(kind.rawValue)
        bytes.append(isFlagged ? Self.flag : 0)
        bytes.append(0)
        bytes.append(bigEndian: node.bits)
        bytes.append(bigEndian: sequence)
        if let request { bytes.append(bigEndian: request) }
        bytes += payload
        return bytes
    }

    /// Decodes the header and locates the payload; nil for a frame that no node of this version sends.
    static func read(_ bytes: UnsafeRawBufferPointer) -> (frame: BusFrame, payload: UnsafeRawBufferPointer)? {
        guard bytes.count >= headBytes, bytes[0] == version, let kind = Kind(rawValue: bytes[1]), bytes[2] <= flag,
            bytes[3] == 0
        else { return nil }
        let head = kind == .request ? requestHeadBytes : headBytes
        guard bytes.count >= head, bytes.count - head <= BusLimits.messageBytesMax else { return nil }
        let frame = BusFrame(
            kind: kind, isFlagged: bytes[2] == flag, node: NodeID(bits: number(bytes, at: 4)),
            sequence: number(bytes, at: 12), request: kind == .request ? number(bytes, at: 20) : nil)
        return (frame, UnsafeRawBufferPointer(rebasing: bytes[head...]))
    }

    static func number(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

extension [UInt8] {
    mutating func append(bigEndian number: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
    }
}
