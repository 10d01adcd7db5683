import CampanileClient
import CommandSupport
import Foundation
import Synchronization
import Wire

/// A file with one line for each point that the server acknowledged, written before the replay continues. A checker compares the database
/// with it.
final class ReplayLedger: Sendable {
    private let descriptor: Int32
    private let failure = Mutex<String?>(nil)

    init(path: String) throws {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw CommandFailure(.cannotCreate, "\(path): \(String(cString: strerror(errno)).lowercased())")
        }
    }

    deinit { close(descriptor) }

    /// First error while writing.
    var problem: String? { failure.withLock { $0 } }

    /// Writes all points of a reply in one call, so that lines of different runners do not mix.
    func append(_ acknowledgement: TrackAcknowledgement) {
        var lines = ""
        for point in acknowledgement.points {
            lines += "\(acknowledgement.session.id) \(point.seq) \(point.lat) \(point.lon) \(point.time)\n"
        }
        var bytes = Array(lines.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                let reason = String(cString: strerror(errno)).lowercased()
                failure.withLock { $0 = $0 ?? "the ledger cannot be written: \(reason)" }
                return
            }
            bytes = bytes.dropFirst(count)
        }
    }
}
