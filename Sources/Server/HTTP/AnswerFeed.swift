/// What is still to be queued of one answer's body, because it does not fit the socket's queue at once or is made of
/// stretches of shared arrays. On the connection's loop only.
///
/// The queue holds whole arrays. One that is an answer by itself goes there by reference, however large; of stretches a
/// slice at a time is copied, as fast as the peer reads: a slow one holds a slice and not all that it asked for.
final class AnswerFeed {
    /// Bytes of a slice: few enough for thousands of slow readers, enough for a fast one.
    static let sliceBytesMax = 65_536

    private var whole: [UInt8]
    private var stretches: [ArraySlice<UInt8>]
    /// The first of `stretches` that is not through.
    private var index = 0
    /// What is left.
    private(set) var bytes: Int

    /// - Parameters:
    ///   - whole: Comes first.
    ///   - stretches: Come behind it.
    init(_ whole: [UInt8], _ stretches: [ArraySlice<UInt8>]) {
        self.whole = whole
        self.stretches = stretches
        bytes = stretches.reduce(whole.count) { $0 + $1.count }
    }

    /// The next bytes for a queue that has so many; nil when these have to leave first, or when nothing is left.
    func next(queued: Int, queueBytesMax: Int) -> [UInt8]? {
        if !whole.isEmpty {
            guard queued == 0 || queued + whole.count <= queueBytesMax else { return nil }
            defer { whole = [] }
            bytes -= whole.count
            return whole
        }
        return queued < Self.sliceBytesMax ? slice() : nil
    }

    /// Of as many stretches as it takes: the heads between the parts of a multipart answer are short.
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
