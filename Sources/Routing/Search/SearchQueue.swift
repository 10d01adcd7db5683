/// A queue of vertices by their keys: a 4-ary heap of numbers that hold both. Entries that are overtaken stay in it.
struct SearchQueue {
    private static let vertexBits: UInt64 = 22
    private static let vertexMask: UInt64 = (1 << vertexBits) - 1

    private var heap: [UInt64] = []

    var isEmpty: Bool { heap.isEmpty }

    mutating func removeAll() { heap.removeAll(keepingCapacity: true) }

    /// - Parameters:
    ///   - key: 0 to ``RouteLimits/routeCostMax``.
    ///   - vertex: Below ``RouteLimits/verticesMax``.
    mutating func insert(_ key: Int64, _ vertex: Int32) {
        let entry =
            UInt64(truncatingIfNeeded: key) << Self.vertexBits | UInt64(truncatingIfNeeded: vertex) & Self.vertexMask
        heap.append(entry)
        var index = heap.count - 1
        while index > 0 {
            let parent = (index - 1) / 4
            guard heap[parent] > entry else { break }
            heap[index] = heap[parent]
            index = parent
        }
        heap[index] = entry
    }

    mutating func popMin() -> (key: Int64, vertex: Int32)? {
        guard let top = heap.first, let last = heap.popLast() else { return nil }
        if !heap.isEmpty { sift(last) }
        return (Int64(truncatingIfNeeded: top >> Self.vertexBits), Int32(truncatingIfNeeded: top & Self.vertexMask))
    }

    /// Puts an entry at the top and moves it down.
    private mutating func sift(_ entry: UInt64) {
        let count = heap.count
        var index = 0
        while true {
            let child = 4 * index + 1
            guard child < count else { break }
            var least = child
            var other = child + 1
            while other < min(child + 4, count) {
                if heap[other] < heap[least] { least = other }
                other += 1
            }
            guard heap[least] < entry else { break }
            heap[index] = heap[least]
            index = least
        }
        heap[index] = entry
    }
}
