import Foundation
import Synchronization

/// Temporary directories of a test process, removed when it exits; the next run removes those of a run that crashed.
public enum TestDirectory {
    private static let prefix = "campanile-test-"

    private struct State {
        var made = 0
        var farewells: [@Sendable () async -> Void] = []
    }
    private static let state = Mutex(State())

    private static let prepared: Void = {
        removeLeftovers()
        atexit { TestDirectory.sayFarewell() }
    }()

    /// Where temporary directories are: on the disk, and in memory.
    private static let parents = ["/tmp", "/dev/shm"]
    /// Room that a directory in memory needs: the databases of a whole run take less than half of it.
    private static let memoryBytesMin: UInt64 = 8 << 30

    private static func base(in parent: String) -> String { "\(parent)/\(prefix)\(getpid())" }

    /// The file system in memory, if it has room, otherwise the disk.
    private static let memoryParent: String = {
        var status = statvfs()
        let hasRoom =
            statvfs(parents[1], &status) == 0 && UInt64(status.f_bavail) * UInt64(status.f_frsize) >= memoryBytesMin
        return hasRoom ? parents[1] : parents[0]
    }()

    /// A new directory that every user may enter, as PostgreSQL's must when the tests run as root.
    /// - Parameters:
    ///   - name: Part of the directory's name, for a reader of the temporary directory.
    ///   - isInMemory: Whether the files may be in memory, for tests that make many files and need no disk.
    public static func make(_ name: String, isInMemory: Bool = false) throws -> String {
        // Once, and before anybody makes one: a directory of ours may be left from an earlier process of this number.
        _ = prepared
        let number = state.withLock { state in
            state.made += 1
            return state.made
        }
        let path = "\(base(in: isInMemory ? memoryParent : parents[0]))/\(name)-\(number)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        return path
    }

    /// Runs when the process exits, before the directories are removed, for at most 10 s in all.
    public static func beforeRemoval(_ body: @escaping @Sendable () async -> Void) {
        state.withLock { $0.farewells.append(body) }
    }

    private static func sayFarewell() {
        let farewells = state.withLock { $0.farewells }
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            for farewell in farewells { await farewell() }
            done.signal()
        }
        _ = done.wait(timeout: .now() + 10)
        for parent in parents { remove(base(in: parent)) }
    }

    /// Directories of processes that are gone, and the PostgreSQL servers in them.
    private static func removeLeftovers() {
        for parent in parents {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
            where name.hasPrefix(prefix) {
                guard let owner = pid_t(name.dropFirst(prefix.count)), owner == getpid() || kill(owner, 0) != 0 else {
                    continue
                }
                remove("\(parent)/\(name)")
            }
        }
    }

    private static func remove(_ directory: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
            killPostgres("\(directory)/\(name)/postgres/data")
        }
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Kills the postmaster of a cluster whose files are about to go, if that is what runs under its number.
    private static func killPostgres(_ data: String) {
        guard let text = try? String(contentsOfFile: "\(data)/postmaster.pid", encoding: .utf8),
            let processID = text.split(separator: "\n").first.flatMap({ pid_t($0) }),
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(processID)/cwd")) == data
        else { return }
        kill(processID, SIGQUIT)
        // An immediate shutdown takes milliseconds; its files must not be removed under it.
        for _ in 0..<200 where FileManager.default.fileExists(atPath: "/proc/\(processID)/cwd") { usleep(10_000) }
    }
}
