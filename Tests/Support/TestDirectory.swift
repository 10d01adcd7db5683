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

    private static var base: String { "/tmp/\(prefix)\(getpid())" }

    /// A new directory that every user may enter, as PostgreSQL's must when the tests run as root.
    /// - Parameter name: For whoever looks into the temporary directory.
    public static func make(_ name: String) throws -> String {
        // Once, and before anybody makes one: a directory of ours may be left from an earlier process of this number.
        _ = prepared
        let number = state.withLock { state in
            state.made += 1
            return state.made
        }
        let path = "\(base)/\(name)-\(number)"
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
        remove(base)
    }

    /// Directories of processes that are gone, and the PostgreSQL servers in them.
    private static func removeLeftovers() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/tmp")) ?? []
        for name in names where name.hasPrefix(prefix) {
            guard let owner = pid_t(name.dropFirst(prefix.count)), owner == getpid() || kill(owner, 0) != 0 else {
                continue
            }
            remove("/tmp/\(name)")
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
