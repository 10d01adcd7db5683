/// The unqueued rest of a response body that exceeds the socket's queue or consists of slices of shared arrays. Only on the connection's
/// loop.
///
/// The queue holds whole arrays. An array that is the whole body is queued by reference, whatever its size. Slices are copied in small
/// parts at the peer's reading speed, so that a slow peer holds one part instead of the complete response.
final class AnswerFeed {
    /// Size of a copied part: small enough for thousands of slow readers, large enough for a fast one.
    static let sliceBytesMax = 65_536

    private var whole: [UInt8]
    private var stretches: [ArraySlice<UInt8>]
    /// Index of the first entry of `stretches` that is not completely queued.
    private var index = 0
    /// Number of bytes left.
    private(set) var bytes: Int

    /// - Parameters:
    ///   - whole: First part of the body.
    ///   - stretches: Parts after it.
    init(_ whole: [UInt8], _ stretches: [ArraySlice<UInt8>]) {
        self.whole = whole
        self.stretches = stretches
        bytes = stretches.reduce(whole.count) { $0 + $1.count }
    }

    /// Next bytes for a queue with `queued` bytes; nil if those must be sent first or nothing is left.
    func next(queued: Int, queueBytesMax: Int) -> [UInt8]? {
        if !whole.isEmpty {
            guard queued == 0 || queued + whole.count <= queueBytesMax else { return nil }
            defer { whole = [] }
            bytes -= whole.count
            return whole
        }
        return queued < Self.sliceBytesMax ? slice() : nil
    }

    /// Copies a part from as many slices as needed, because the heads between the parts of a multipart response are short.
    private func slice() -> [UInt8]? {
        guard bytes > 0 else { return nil }
        let count = min(bytes, Self.sliceBytesMax)
        var slice: [UInt8] = []
        slice.reserveCapacity(count)
        while slice.count < count {
            let part = stretches[index].prefix(count - slice.count)
            slice += part
            stretches[index].removeFirst(part.count)
            if stretches[index].isEmpty { index += 1 }
        }
        bytes -= count
        return slice
    }
}
