/// Received bytes that are not parsed yet. Taking from the front is O(taken); an empty queue holds no memory, which
/// matters with many idle connections.
struct ByteQueue: Sendable {
    private var storage: [UInt8] = []
    private var head = 0

    var count: Int { storage.count - head }
    var isEmpty: Bool { head == storage.count }

    /// The byte `offset` bytes from the front.
    subscript(_ offset: Int) -> UInt8 { storage[head + offset] }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        // Taken bytes go when they are the larger part, so each byte is moved at most once on average.
        if head > storage.count - head {
            storage.removeSubrange(..<head)
            head = 0
        }
        storage.append(contentsOf: bytes)
    }

    /// How far from the front the first `byte` at or after `offset` is.
    func firstOffset(of byte: UInt8, from offset: Int) -> Int? {
        storage[(head + offset)...].firstIndex(of: byte).map { $0 - head }
    }

    mutating func take(_ count: Int) -> [UInt8] {
        let taken = Array(storage[head..<head + count])
        drop(count)
        return taken
    }

    /// Moves up to `countMax` bytes to the end of `target`; returns how many.
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
