import CampanileClient
import CommandSupport
import Foundation
import Synchronization
import Wire

/// A file with one line for each point that the server acknowledged, written before the replay goes on: what a checker
/// compares the database with.
final class ReplayLedger: Sendable {
    private let descriptor: Int32
    private let failure = Mutex<String?>(nil)

    /// - Throws: ``CommandFailure`` (73).
    init(path: String) throws {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw CommandFailure(.cannotCreate, "\(path): \(String(cString: strerror(errno)).lowercased())")
        }
    }

    deinit { close(descriptor) }

    /// The first thing that went wrong while writing.
    var problem: String? { failure.withLock { $0 } }

    /// One write for all points of a reply: no line is cut in two by another runner's.
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
