import EventLoop
import Foundation
import Postgres
import TestSupport
import Testing

/// The whole server as an ordinary user, as the unit has it, and a program of the same user that attacks it: once as a picture decoder
/// runs, once without its confinement. It takes root to become that user.
@Suite("Attacks on a server by its own user", .enabled(if: geteuid() == 0))
struct ServerAttackTests {
    /// Has a name, as initdb asks for one, and seldom anything that runs.
    private static let user: uid_t = getpwnam("games").map(\.pointee.pw_uid) ?? 5

    private static let script = """
        import ctypes, os, socket, sys
        server, data, port = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
        libc = ctypes.CDLL(None, use_errno=True)
        def ptrace():
            if libc.ptrace(16, server, 0, 0) < 0: raise OSError(ctypes.get_errno(), "")
        def superuser():
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(data + "/postgres/socket/.s.PGSQL.5432")
            body = b"\\0\\3\\0\\0user\\0postgres\\0database\\0campanile\\0\\0"
            connection.sendall((len(body) + 4).to_bytes(4, "big") + body)
            answer = connection.recv(9)
            # R, and 0: let in without a password.
            if answer[:1] != b"R" or int.from_bytes(answer[5:9], "big") != 0: raise PermissionError("a password is asked for")
        attempts = {
            "environment": lambda: open(f"/proc/{server}/environ", "rb").read(),
            "memory": lambda: open(f"/proc/{server}/mem", "rb"),
            "descriptors": lambda: os.listdir(f"/proc/{server}/fd"),
            "ptrace": ptrace,
            "superuser": superuser,
            "simulation-key": lambda: open(data + "/simulation.key").read(),
            "tls-key": lambda: open(data + "/tls/localhost.key").read(),
            "passwords": lambda: open(data + "/postgres/pgpass").read(),
            "data-directory": lambda: os.listdir(data),
            "cluster": lambda: os.listdir(data + "/postgres/data"),
            "plant": lambda: open(data + "/planted", "w").write("x"),
            "hand-over": lambda: socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).connect(data + "/control.sock"),
            "postgres-socket": lambda: socket.socket(socket.AF_UNIX).connect(data + "/postgres/socket/.s.PGSQL.5432"),
            "own-port": lambda: socket.create_connection(("127.0.0.1", port), 2),
            "signal": lambda: os.kill(server, 0),
        }
        for name, attempt in attempts.items():
            try:
                attempt()
                print(name, "got", flush=True)
            except (OSError, ValueError) as error:
                print(name, "denied", flush=True)
        """

    private func attempts(_ finished: ChildProcess.Finished) -> (got: Set<String>, denied: Set<String>) {
        let lines = finished.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        func named(_ ending: String) -> Set<String> {
            Set(lines.filter { $0.count == 2 && $0[1] == ending }.map { $0[0] })
        }
        return (named("got"), named("denied"))
    }

    @Test(
        "A decoder gets nothing; a program that is not confined gets files, and neither memory, environment nor the database"
    )
    func ownUser() async throws {
        let directory = try TestDirectory.make("own-user")
        let (home, work, log) = ("\(directory)/home", "\(directory)/work", "\(directory)/log")
        // The server makes it.
        let data = "\(home)/data"
        for path in [home, work] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            #expect(chown(path, Self.user, Self.user) == 0)
        }
        let file = open(log, O_WRONLY | O_CREAT, 0o600)
        defer { close(file) }
        let identity = [
            "/usr/bin/setpriv", "--reuid=\(Self.user)", "--regid=\(Self.user)", "--clear-groups", "--no-new-privs",
            "--bounding-set=-all", "--inh-caps=-all",
        ]
        let server = try ChildProcess.spawn(
            identity + [
                TestServer.root.appendingPathComponent(".build/debug/campanile").path, "serve", "--data", data,
                "--port", "0",
                "--tls",
            ], output: file,
            environment: [
                "CAMPANILE_RESOURCES": TestServer.root.path, "HOME": "/nonexistent",
                "CAMPANILE_METRICS_TOKEN": "a-token-nobody-may-read",
            ])
        defer {
            kill(server, SIGTERM)
            // One that the attack has stopped by ptrace ends only when it goes on.
            kill(server, SIGCONT)
            var status: Int32 = 0
            waitpid(server, &status, 0)
        }
        let port = try await eventually("the server listens") { () -> String? in
            let said = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            return said.firstMatch(of: /listens on https:\/\/[^:]+:([0-9]+)/).map { String($0.output.1) }
        }
        var made = stat()
        #expect(lstat(data, &made) == 0 && made.st_mode & 0o7777 == 0o700)
        let script = "\(work)/attack.py"
        try Self.script.write(toFile: script, atomically: true, encoding: .utf8)
        #expect(chmod(script, 0o644) == 0)
        let command = ["/usr/bin/python3", "-I", "-S", script, "\(server)", data, port]

        let confinement = Confinement(
            programs: ["/usr/bin/python3"], writable: [work],
            limits: .init(addressSpaceBytes: 1 << 30, processorSeconds: 20, fileBytes: 65_536, descriptors: 64),
            user: (Self.user, Self.user))
        let decoder = attempts(
            try ChildProcess.run(command, confinement: confinement, timeLimit: .seconds(60)))
        #expect(decoder.got == [] && decoder.denied.count == 15, "\(decoder)")

        // What the kernel without Landlock and seccomp would leave.
        let free = attempts(try ChildProcess.run(identity + command, timeLimit: .seconds(60)))
        let closed: Set = ["environment", "memory", "descriptors", "ptrace", "superuser"]
        #expect(free.denied == closed, "\(free)")
        #expect(free.got.isSuperset(of: ["simulation-key", "tls-key", "passwords", "own-port", "signal"]))
    }
}
