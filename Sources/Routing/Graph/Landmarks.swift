/// The neighbours of vertices in one direction.
struct RouteRows {
    let first: [Int32]
    let neighbours: [Int32]
    /// The edge at each position of a row; nil if the position is the edge.
    let edges: [Int32]?
    let costs: [Int32]

    /// Costs from a vertex to all others (Dijkstra 1959); `Int32.max` if there is no way.
    func costs(from start: Int32, count: Int) -> [Int32] {
        var found = [Int32](repeating: .max, count: count)
        var queue = SearchQueue()
        found[Int(start)] = 0
        queue.insert(0, start)
        while let (cost, vertex) = queue.popMin() {
            guard cost == Int64(found[Int(vertex)]) else { continue }
            for position in first[Int(vertex)]..<first[Int(vertex) + 1] {
                let edge = edges.map { $0[Int(position)] } ?? position
                let (next, total) = (neighbours[Int(edge)], cost + Int64(costs[Int(edge)]))
                guard total < Int64(found[Int(next)]) else { continue }
                found[Int(next)] = Int32(total)
                queue.insert(total, next)
            }
        }
        return found
    }
}

/// Costs from and to a few vertices at the rim, from which the search computes lower bounds (ALT: Goldberg and Harrelson
/// 2005).
struct Landmarks: Sendable {
    /// Number of landmarks.
    static let count = 12

    /// For each vertex, the free walking time from each landmark.
    private(set) var from: [Int32] = []
    /// For each vertex, the free walking time to each landmark.
    private(set) var to: [Int32] = []
    let count: Int

    var bytes: Int { (from.count + to.count) * 4 }

    /// Chooses landmarks in the largest part, each as far as possible from the others.
    init(_ forward: RouteRows, backward: RouteRows, parts: [Int32], partSizes: [Int32]) {
        let total = parts.count
        guard let largest = partSizes.indices.max(by: { partSizes[$0] < partSizes[$1] }),
            let start = parts.firstIndex(of: Int32(largest))
        else {
            count = 0
            return
        }
        var tables: [(from: [Int32], to: [Int32])] = []
        var nearest = forward.costs(from: Int32(start), count: total)
        for _ in 0..<Self.count {
            let rim = nearest.indices.filter { nearest[$0] != .max && nearest[$0] > 0 }.max {
                nearest[$0] < nearest[$1]
            }
            guard let rim else { break }
            let table = (
                from: forward.costs(from: Int32(rim), count: total), to: backward.costs(from: Int32(rim), count: total)
            )
            nearest = tables.isEmpty ? table.from : zip(nearest, table.from).map { min($0, $1) }
            tables.append(table)
        }
        count = tables.count
        from.reserveCapacity(total * count)
        to.reserveCapacity(total * count)
        for vertex in 0..<total {
            for table in tables {
                from.append(table.from[vertex])
                to.append(table.to[vertex])
            }
        }
    }
}
