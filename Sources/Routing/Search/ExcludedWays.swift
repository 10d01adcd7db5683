/// From where ways lead to a destination that closures or preferences exclude. It says why there is no route.
struct ExcludedWays: Sendable {
    private let isStepFree: Bool
    /// For each vertex, whether the preferences leave a way from it if nothing is closed; empty without closures.
    private let withoutClosures: [Bool]
    /// For each vertex, whether an open way leads from it over steps or barriers; empty if the profile is not step-free.
    private let withSteps: [Bool]

    /// Follows the edges backwards from the destination. O(edges).
    init(to goals: [Seed], _ weights: RouteWeights) {
        isStepFree = weights.profile.isStepFree
        let graph = weights.graph
        withoutClosures =
            weights.closures.isEmpty
            ? [] : Self.reached(goals, graph) { weights.openCosts[Int($0)] != RouteWeights.closed }
        withSteps = isStepFree ? Self.reached(goals, graph) { weights.isOpenWithSteps($0) } : []
    }

    func obstacle(from starts: [Seed]) -> RouteError.Obstacle {
        func isReached(_ vertices: [Bool]) -> Bool {
            !vertices.isEmpty && starts.contains { vertices[Int($0.vertex)] }
        }
        let hasSteps = isReached(withSteps)
        return isReached(withoutClosures)
            ? .closure(isStepFree: isStepFree, hasSteps: hasSteps)
            : .preferences(isStepFree: isStepFree, hasSteps: hasSteps)
    }

    private static func reached(_ goals: [Seed], _ graph: RouteGraph, isOpen: (Int32) -> Bool) -> [Bool] {
        var reached = [Bool](repeating: false, count: graph.vertexCount)
        var waiting = goals.map(\.vertex)
        for vertex in waiting { reached[Int(vertex)] = true }
        while let vertex = waiting.popLast() {
            for position in graph.firstIncoming[Int(vertex)]..<graph.firstIncoming[Int(vertex) + 1] {
                let edge = graph.incomingEdges[Int(position)]
                let source = graph.sources[Int(edge)]
                guard !reached[Int(source)], isOpen(edge) else { continue }
                reached[Int(source)] = true
                waiting.append(source)
            }
        }
        return reached
    }
}
