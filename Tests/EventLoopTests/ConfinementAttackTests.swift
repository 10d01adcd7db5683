import Foundation
import TestSupport
import Testing

@testable import EventLoop

/// A program that was taken over tries what it can. As root, which the tests may be, it has another user as well; both are tried.
@Suite("Attacks of a confined program")
struct ConfinementAttackTests {
    static let python = "/usr/bin/python3"

    /// Each line of the script is tried by itself and says `got` or `denied`.
    private static let attack = """
        import ctypes, os, resource, signal, socket, sys
        server, secret, work, outside = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
        libc = ctypes.CDLL(None, use_errno=True)
        def call(number, *arguments):
            if libc.syscall(number, *arguments) < 0: raise OSError(ctypes.get_errno(), "")
        def unix(path, kind=socket.SOCK_STREAM):
            socket.socket(socket.AF_UNIX, kind).connect(path)
        def tcp(): socket.create_connection(("127.0.0.1", 22), 1)
        def libc_ok(result):
            if result < 0: raise OSError(ctypes.get_errno(), "")
        attempts = {
            "environment": lambda: open(f"/proc/{server}/environ", "rb").read(),
            "memory": lambda: open(f"/proc/{server}/mem", "rb"),
            "descriptors": lambda: os.listdir(f"/proc/{server}/fd"),
            "processes": lambda: os.listdir("/proc"),
            "secret": lambda: open(secret).read(),
            "secret-directory": lambda: os.listdir(os.path.dirname(secret)),
            "users": lambda: open("/etc/passwd").read(),
            "shared-memory": lambda: os.listdir("/dev/shm"),
            "write-outside": lambda: open(outside, "w").write("x"),
            "truncate": lambda: os.truncate(secret, 0),
            "remove": lambda: os.remove(secret),
            "rename": lambda: os.rename(secret, work + "/taken"),
            "link": lambda: os.link(secret, work + "/link"),
            "symlink": lambda: os.symlink(secret, work + "/symlink"),
            "mode": lambda: os.chmod(secret, 0o777),
            "mode-of-directory": lambda: os.chmod(os.path.dirname(secret), 0o777),
            "times": lambda: os.utime(secret),
            "owner": lambda: os.chown(work + "/attack.py", os.getuid(), os.getgid()),
            "tcp": tcp,
            "udp": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 53)),
            "netlink": lambda: socket.socket(16, socket.SOCK_RAW),
            "unix": lambda: unix(secret),
            "abstract": lambda: unix("\\0campanile"),
            "socketpair": socket.socketpair,
            "ptrace": lambda: call(101, 16, server, 0, 0),
            "process-vm": lambda: call(310, server, 0, 0, 0, 0, 0),
            "pidfd": lambda: os.pidfd_open(server),
            "signal": lambda: os.kill(server, 0),
            "signal-group": lambda: os.killpg(os.getpgid(0), 0) or os.kill(-1, 0),
            "thread-signal": lambda: call(234, server, server, 0),
            "queued-signal": lambda: call(129, server, 0, 0),
            "limits-of-server": lambda: resource.prlimit(server, resource.RLIMIT_NOFILE, (64, 64)),
            "own-limits": lambda: resource.setrlimit(resource.RLIMIT_CPU, (4096, 4096)),
            "priority-of-server": lambda: os.setpriority(os.PRIO_PROCESS, server, 19),
            "affinity-of-server": lambda: os.sched_setaffinity(server, {0}),
            "fork": os.fork,
            "spawn": lambda: os.posix_spawn("/usr/bin/true", ["true"], {}),
            "execute": lambda: os.execv("/bin/sh", ["sh"]),
            "execute-own": lambda: os.execv(work + "/attack.py", ["attack"]),
            "system-v": lambda: call(29, 1, 4096, 0o1666),
            "user-namespace": lambda: call(272, 0x10000000),
            "keys": lambda: call(250, 0, -2, 0),
            "io-uring": lambda: call(425, 8, 0),
            "bpf": lambda: call(321, 0, 0, 0),
            "root": lambda: os.chroot(work),
            "dumpable": lambda: libc_ok(libc.prctl(4, 1, 0, 0, 0)),
            "background": lambda: libc_ok(libc.prctl(36, 1, 0, 0, 0)),
        }
        for name, attempt in attempts.items():
            try:
                attempt()
                print(name, "got", flush=True)
            except (OSError, PermissionError, ValueError) as error:
                print(name, "denied", flush=True)
        import threading, time
        count = 0
        try:
            threading.stack_size(65536)
            while count < 4096:
                threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
                count += 1
        except RuntimeError: pass
        print("threads", count if count > 1024 else "denied", flush=True)
        print("open", sorted(int(n) for n in range(64) if not os.system is None and libc.fcntl(n, 1) >= 0), flush=True)
        print("environ", sorted(os.environ), flush=True)
        open(work + "/result", "w").write("own")
        os._exit(0)
        """

    @Test("It gets nothing but its own directory: as another user, and as the server's own", arguments: [true, false])
    func attempts(isAnother: Bool) throws {
        if isAnother && geteuid() != 0 { return }
        let directory = try TestDirectory.make("confined")
        let (work, secrets) = ("\(directory)/work", "\(directory)/secrets")
        for path in [work, secrets] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
        }
        // Open to all: what holds is the confinement, not the mode.
        try "key".write(toFile: "\(secrets)/simulation.key", atomically: true, encoding: .utf8)
        try Self.attack.write(toFile: "\(work)/attack.py", atomically: true, encoding: .utf8)
        for path in ["\(secrets)/simulation.key", "\(work)/attack.py"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
        }
        setenv("CAMPANILE_TEST_SECRET", "x", 1)
        let held = open("\(secrets)/simulation.key", O_RDONLY)
        defer { close(held) }
        let nobody = try #require(getpwnam("nobody"))
        let confinement = Confinement(
            programs: [Self.python], writable: [work],
            limits: .init(
                addressSpaceBytes: 1 << 30, processorSeconds: 20, fileBytes: 4_096, descriptors: 64),
            user: isAnother ? (nobody.pointee.pw_uid, nobody.pointee.pw_gid) : nil)
        let finished = try ChildProcess.run(
            [
                Self.python, "-I", "-S", "\(work)/attack.py", "\(getpid())", "\(secrets)/simulation.key", work,
                "\(directory)/outside",
            ], confinement: confinement, timeLimit: .seconds(60))
        let lines = finished.output.split(separator: "\n").map(String.init)
        #expect(finished.status == 0, "\(finished.output)")
        #expect(lines.count == 50, "every attempt was made: \(lines.count)")
        #expect(lines.filter { $0.contains(" got") } == [])
        // As the server's own user it has as many as its address space holds.
        #expect(lines.contains("threads denied") || !isAnother, "\(lines.suffix(3))")
        #expect(lines.contains("open [0, 1, 2]"), "\(lines.suffix(3))")
        #expect(lines.contains { $0.hasPrefix("environ ['LC_ALL'") && !$0.contains("SECRET") }, "\(lines.suffix(3))")
        #expect(try String(contentsOfFile: "\(work)/result", encoding: .utf8) == "own")
        #expect(try String(contentsOfFile: "\(secrets)/simulation.key", encoding: .utf8) == "key")
        #expect(!FileManager.default.fileExists(atPath: "\(directory)/outside"))
    }

    @Test("Memory, time, files and descriptors are limited, and it goes first when memory is short")
    func limits() throws {
        let work = try TestDirectory.make("limits")
        let script = """
            import resource, time
            for kind in ("AS", "CPU", "FSIZE", "NOFILE", "CORE"): print(resource.getrlimit(getattr(resource, "RLIMIT_" + kind))[1])
            niceness = int(open("/proc/self/stat").read().rsplit(")", 1)[1].split()[16])
            def score(): return open("/proc/self/oom_score_adj").read().strip()
            # The server writes it once the program runs.
            for _ in range(3000):
                if score() == "1000": break
                time.sleep(0.01)
            print(score(), niceness > 0)
            """
        var confinement = Confinement(
            programs: [Self.python], writable: [work],
            limits: .init(addressSpaceBytes: 268_435_456, processorSeconds: 5, fileBytes: 4_096, descriptors: 16))
        confinement.readable = ["/proc"]
        let finished = try ChildProcess.run(
            [Self.python, "-I", "-S", "-c", script], confinement: confinement, timeLimit: .seconds(60))
        #expect(
            finished.output.split(separator: "\n") == ["268435456", "5", "4096", "16", "0", "1000 True"],
            "\(finished.output)")
    }

    @Test("A system call that the filter does not list does not exist, and a process is refused")
    func unlisted() throws {
        let work = try TestDirectory.make("unlisted")
        // pidfd_open(2), io_uring_setup(2), a number that no kernel has, and clone(2) without CLONE_THREAD.
        let script = """
            import ctypes
            libc = ctypes.CDLL(None, use_errno=True)
            def code(*call):
                ctypes.set_errno(0)
                libc.syscall(*call)
                return ctypes.get_errno()
            clone = {"x86_64": 56, "aarch64": 220}["\(Self.machine)"]
            print(code(434, 1, 0), code(425, 8, 0), code(9999), code(clone, 17, 0, 0, 0, 0))
            """
        let confinement = Confinement(
            programs: [Self.python], writable: [work],
            limits: .init(addressSpaceBytes: 1 << 28, processorSeconds: 5, fileBytes: 4_096, descriptors: 16))
        let finished = try ChildProcess.run(
            [Self.python, "-I", "-S", "-c", script], confinement: confinement, timeLimit: .seconds(60))
        #expect(finished.output == "\(ENOSYS) \(ENOSYS) \(ENOSYS) \(EPERM)\n", "\(finished.output)")
    }

    #if arch(arm64)
        private static let machine = "aarch64"
    #else
        private static let machine = "x86_64"
    #endif

    @Test("The threads of another user have a limit; those of the server's own user have none")
    func threads() throws {
        let work = try TestDirectory.make("threads")
        let script = "import resource; print(resource.getrlimit(resource.RLIMIT_NPROC)[0])"
        func limit(_ user: (userID: uid_t, groupID: gid_t)?) throws -> String {
            let confinement = Confinement(
                programs: [Self.python], writable: [work],
                limits: .init(addressSpaceBytes: 1 << 28, processorSeconds: 5, fileBytes: 4_096, descriptors: 16),
                user: user)
            return try ChildProcess.run(
                [Self.python, "-I", "-S", "-c", script], confinement: confinement, timeLimit: .seconds(60)
            ).output.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        var own = rlimit()
        getrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &own)
        #expect(try limit(nil) == (own.rlim_cur == rlim_t.max ? "-1" : "\(own.rlim_cur)"))
        guard geteuid() == 0 else { return }
        let nobody = try #require(getpwnam("nobody"))
        let count = try #require(Int(try limit((nobody.pointee.pw_uid, nobody.pointee.pw_gid))))
        #expect(count >= 512)
    }

    @Test("A program that cannot be started is told as an error, with the step that failed")
    func missing() throws {
        let confinement = Confinement(
            programs: [], writable: [],
            limits: .init(addressSpaceBytes: 1 << 28, processorSeconds: 5, fileBytes: 4_096, descriptors: 16))
        let error = #expect(throws: SystemError.self) {
            try ChildProcess.run(["/nothing/there"], confinement: confinement)
        }
        #expect(error?.call == "execve /nothing/there")
    }
}
