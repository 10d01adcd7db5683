import EventLoop
import Services
import Synchronization
import WebSocket

/// The campus map as a file, compressed once for each version off the loops, at the first request. Usable from any thread.
final class MapFile: Sendable {
    private struct Made {
        var version: String
        var file: Task<Resource, Never>
    }

    private let newest = Mutex<Made?>(nil)
    private let workers: WorkerPool

    init(workers: WorkerPool) { self.workers = workers }

    /// File of a campus version. Requests that arrive while it is made wait for the same result.
    func file(of snapshot: CampusMap.Snapshot) async -> Resource {
        let task = newest.withLock { newest in
            if let newest, newest.version == snapshot.info.version { return newest.file }
            let task = Task.detached { [workers] in
                do {
                    return try await workers.run { Self.resource(snapshot, compresses: true) }
                } catch {
                    // The workers are overloaded: the file stays uncompressed until the next version.
                    return Self.resource(snapshot, compresses: false)
                }
            }
            newest = Made(version: snapshot.info.version, file: task)
            return task
        }
        return await task.value
    }

    private static func resource(_ snapshot: CampusMap.Snapshot, compresses: Bool) -> Resource {
        Resource(snapshot.geoJSON, contentType: "application/geo+json", compresses: compresses)
    }
}
