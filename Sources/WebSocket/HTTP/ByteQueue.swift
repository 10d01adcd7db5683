/// A queue of received bytes that are not parsed yet. Taking from the front is O(taken). An empty queue holds no
/// memory, which matters with many idle connections.
struct ByteQueue: Sendable {
    private var storage: [UInt8] = []
    private var head = 0

    var count: Int { storage.count - head }
    var isEmpty: Bool { head == storage.count }

    /// The byte at `offset` from the front.
    subscript(_ offset: Int) -> UInt8 { storage[head + offset] }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        // Taken bytes are removed once they are the larger part, so each byte is moved at most once on average.
        if head > storage.count - head {
            storage.removeSubrange(..<head)
            head = 0
        }
        storage.append(contentsOf: bytes)
    }

    /// The offset from the front of the first `byte` at or after `offset`.
    func firstOffset(of byte: UInt8, from offset: Int) -> Int? {
        storage[(head + offset)...].firstIndex(of: byte).map { $0 - head }
    }

    mutating func take(_ count: Int) -> [UInt8] {
        let taken = Array(storage[head..<head + count])
        drop(count)
        return taken
    }

    /// Moves up to `countMax` bytes to the end of `target`, and returns their number.
    mutating func move(atMost countMax: Int, to target: inout [UInt8]) -> Int {
        let moved = Swift.min(countMax, count)
        target.append(contentsOf: storage[head..<head + moved])
        drop(moved)
        return moved
    }

    mutating func drop(_ count: Int) {
        head += count
        if head == storage.count {
            storage = []
            head = 0
        }
    }
}
