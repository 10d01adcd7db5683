// Its header declares what glibc keeps for _GNU_SOURCE: pipe2, posix_spawn_file_actions_addclosefrom_np.
import CLibpq
import EventLoop
import Glibc

/// Starting other programs. Everything here blocks: run it on a worker.
enum ChildProcess {
    /// Kept of what a program prints.
    static let outputBytesMax = 65_536
    /// Not imported into Swift (glibc `spawn.h`).
    private static let spawnInNewSession: Int16 = 0x80

    struct Finished {
        /// The exit code, or 128 plus the signal.
        let status: Int32
        /// Standard output and error, cut at ``outputBytesMax``.
        let output: String
    }

    /// Runs a program to its end.
    /// - Parameter command: The path and the arguments.
    static func run(_ command: [String]) throws(SystemError) -> Finished {
        var ends: [Int32] = [-1, -1]
        guard pipe2(&ends, O_CLOEXEC) == 0 else { throw SystemError(call: "pipe2", code: errno) }
        defer { close(ends[0]) }
        let child: pid_t
        do {
            child = try spawn(command, output: ends[1])
        } catch {
            close(ends[1])
            throw error
        }
        close(ends[1])
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(ends[0], &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { break }
            output.append(contentsOf: buffer[..<min(count, outputBytesMax - output.count)])
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        let signal = status & 0x7f
        return Finished(
            status: signal == 0 ? (status >> 8) & 0xff : 128 + signal, output: String(decoding: output, as: UTF8.self))
    }

    /// Starts a program in a session of its own: the terminal's Ctrl-C does not reach it, and it outlives this process.
    /// - Parameters:
    ///   - command: The path and the arguments.
    ///   - output: Where standard output and error go.
    static func spawn(_ command: [String], output: Int32) throws(SystemError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        // No socket of the hub may live on in the database.
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        // The hub ignores signals that it takes through Dispatch; the child must not.
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(
            &attributes, spawnInNewSession | Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))

        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
        arguments.append(nil)
        // Not the hub's environment: it may hold passwords, and PG* variables that mislead initdb.
        var environment: [UnsafeMutablePointer<CChar>?] = [
            strdup("PATH=/usr/local/bin:/usr/bin:/bin"), strdup("LC_ALL=C.UTF-8"), nil,
        ]
        defer { for pointer in arguments + environment { free(pointer) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, command[0], &actions, &attributes, &arguments, &environment)
        guard code == 0 else { throw SystemError(call: "posix_spawn \(command[0])", code: code) }
        return child
    }
}
