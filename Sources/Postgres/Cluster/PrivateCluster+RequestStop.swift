import Synchronization

/// Postmasters that this process has started or adopted and still owns.
private let owned = Mutex<[ObjectIdentifier: Postmaster]>([:])

/// Stop requests for a process that exits immediately and cannot wait for an actor.
extension PrivateCluster {
    /// Requests a fast shutdown of PostgreSQL, also during its start, and does not wait for it.
    ///
    /// A postmaster that was left to another server is not stopped. Callable from any thread.
    nonisolated func requestStop() {
        if let postmaster = owned.withLock({ $0[ObjectIdentifier(self)] }) { Self.requestStop(postmaster) }
    }

    /// Requests a fast shutdown of every PostgreSQL that this process owns, and does not wait for it. Callable from any thread.
    public static func requestStopOfAll() {
        for postmaster in owned.withLock({ Array($0.values) }) { requestStop(postmaster) }
    }

    private static func requestStop(_ postmaster: Postmaster) {
        if postmaster.isAlive { postmaster.requestStop() }
    }

    nonisolated func own(_ postmaster: Postmaster) { owned.withLock { $0[ObjectIdentifier(self)] = postmaster } }

    nonisolated func disown() { _ = owned.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) } }
}
