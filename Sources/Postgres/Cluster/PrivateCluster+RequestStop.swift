import Synchronization

/// The postmasters that clusters of this process have started or adopted, and not left.
private let owned = Mutex<[ObjectIdentifier: Postmaster]>([:])

/// For a process that ends at once and cannot wait for an actor.
extension PrivateCluster {
    /// Asks PostgreSQL to stop, also while it starts, and does not wait: it stops by itself, in order. One that was left to
    /// another hub is not asked. From any context.
    nonisolated func requestStop() {
        if let postmaster = owned.withLock({ $0[ObjectIdentifier(self)] }) { Self.requestStop(postmaster) }
    }

    /// Asks every PostgreSQL that this process runs to stop, and does not wait: they stop by themselves, in order. From any
    /// context.
    public static func requestStopOfAll() {
        for postmaster in owned.withLock({ Array($0.values) }) { requestStop(postmaster) }
    }

    private static func requestStop(_ postmaster: Postmaster) {
        if postmaster.isAlive { postmaster.requestStop() }
    }

    nonisolated func own(_ postmaster: Postmaster) { owned.withLock { $0[ObjectIdentifier(self)] = postmaster } }

    nonisolated func disown() { _ = owned.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) } }
}
