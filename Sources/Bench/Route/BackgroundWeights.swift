import Foundation
import Routing
import Synchronization

/// Weighs all edges on a thread of its own until it is stopped.
final class BackgroundWeights: Sendable {
    private struct State {
        var isStopped = false
        var count = 0
    }
    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)

    init(_ graph: RouteGraph, _ profile: RouteProfile, _ crowd: RouteCrowd) {
        let thread = Thread { [self] in
            while !state.withLock(\.isStopped) {
                _ = RouteWeights(graph, profile: profile, crowd: crowd)
                state.withLock { $0.count += 1 }
            }
            ended.signal()
        }
        thread.start()
    }

    /// - Returns: How often all edges were weighed.
    func stop() -> Int {
        state.withLock { $0.isStopped = true }
        ended.wait()
        return state.withLock(\.count)
    }
}
