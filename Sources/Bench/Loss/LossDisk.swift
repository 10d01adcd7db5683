import EventLoop
import Foundation
import Glibc

/// A small file system for the database of a loss run (tmpfs(5)), which can be filled and freed. Needs root.
///
/// `@unchecked Sendable`: the path is set in `init`; a lock protects the rest.
final class LossDisk: @unchecked Sendable {
    /// Size of the file system: a cluster, the log of ten minutes, and the remainder when the log is not pruned.
    private static let bytes = 1_536 << 20
    /// Interval at which the filler takes space that PostgreSQL frees.
    private static let checkMicroseconds: UInt32 = 50_000
    private static let chunkBytes = 1 << 20

    let path = NSTemporaryDirectory() + "campanile-disk-\(UUID().uuidString)"
    private var filler: String { path + "/filler" }
    private let lock = NSLock()
    private var isFilled = false

    /// True while the disk is to be full.
    var isFull: Bool { lock.withLock { isFilled } }

    /// - Throws: ``BenchError``.
    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard Self.run("/usr/bin/mount", "-t", "tmpfs", "-o", "size=\(Self.bytes),mode=0755", "campanile", path) else {
            rmdir(path)
            throw BenchError(description: "no file system could be mounted: a full disk needs root")
        }
    }

    /// Fills the disk and keeps it full until ``free()``.
    func fill() {
        lock.withLock { isFilled = true }
        takeRoom()
        Thread.detachNewThread { [self] in
            while isFull {
                takeRoom()
                usleep(Self.checkMicroseconds)
            }
        }
    }

    /// Takes all free space, to the last block.
    private func takeRoom() {
        lock.withLock {
            guard isFilled else { return }
            let descriptor = open(filler, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { return }
            let zeros = [UInt8](repeating: 0, count: Self.chunkBytes)
            while write(descriptor, zeros, zeros.count) > 0 {}
            close(descriptor)
        }
    }

    /// Frees the space again.
    func free() {
        lock.withLock {
            isFilled = false
            unlink(filler)
        }
    }

    func stop() {
        free()
        _ = Self.run("/usr/bin/umount", "--lazy", path)
        rmdir(path)
    }

    private static func run(_ program: String, _ arguments: String...) -> Bool {
        (try? ChildProcess.run([program] + arguments))?.status == 0
    }
}
