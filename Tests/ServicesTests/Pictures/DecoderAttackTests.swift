import Foundation
import TestSupport
import Testing

@testable import EventLoop
@testable import Services

/// A decoder that a picture has taken over, in the place of libvips.
@Suite("Attacks of a picture decoder")
struct DecoderAttackTests {
    /// Looks for everything, and leaves what it found as the picture that the server takes.
    private static let script = """
        #!/usr/bin/python3 -IS
        import os, socket, sys
        found = []
        def attempt(name, body):
            try: body(); found.append(name)
            except Exception: pass
        for process in [os.getppid(), 1]:
            attempt("environ", lambda: open(f"/proc/{process}/environ").read())
        for path in ["$SECRET", "/etc/passwd", "/etc/hostname"]:
            attempt(path, lambda: open(path).read())
        attempt("list", lambda: os.listdir("$DIRECTORY"))
        attempt("write", lambda: open("$DIRECTORY/planted", "w").write("x"))
        attempt("socket", lambda: socket.socket())
        attempt("fork", os.fork)
        attempt("signal", lambda: os.kill(os.getppid(), 0))
        attempt("shell", lambda: os.execv("/bin/sh", ["sh"]))
        attempt("link", lambda: os.symlink("$SECRET", os.environ["HOME"] + "/full.jpg"))
        print(sys.argv[-1] + ": 10x10 found " + ",".join(found))
        open(os.environ["HOME"] + "/found", "w").write(",".join(found))
        sys.exit(0 if not found else 3)
        """

    @Test("It finds the picture and nothing else, and leaves nothing behind")
    func fake() throws {
        let directory = try TestDirectory.make("decoder")
        #expect(chmod(directory, 0o777) == 0)
        let secret = "\(directory)/simulation.key"
        try "key".write(toFile: secret, atomically: true, encoding: .utf8)
        let fake = "\(directory)/fake-vips"
        try Self.script.replacingOccurrences(of: "$SECRET", with: secret)
            .replacingOccurrences(of: "$DIRECTORY", with: directory).write(
                toFile: fake, atomically: true, encoding: .utf8)
        #expect(chmod(fake, 0o755) == 0)
        var encoder = PictureEncoder(directory: directory)
        encoder.tools = .init(vips: fake, vipsheader: fake, interpreters: ["/usr/bin/python3"])
        // It ran to its end as the program of each step, found nothing, and made no picture: the file that the server looks for is missing.
        let error = #expect(throws: (any Error).self) {
            try encoder.encode(try TestPicture.make("png", width: 10, height: 10), for: .chat)
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains("open"), "\(error.map { "\($0)" } ?? "nothing")")
        #expect(Set(try FileManager.default.contentsOfDirectory(atPath: directory)) == ["simulation.key", "fake-vips"])
        #expect(try String(contentsOfFile: secret, encoding: .utf8) == "key")
    }

    @Test("A decoder that gives up says nothing of the picture", arguments: [SIGABRT, SIGTRAP])
    func givesUp(signal: Int32) throws {
        let directory = try TestDirectory.make("decoder")
        #expect(chmod(directory, 0o777) == 0)
        let fake = "\(directory)/fake-vips"
        try """
        #!/usr/bin/python3 -IS
        import signal
        print("GLib-ERROR: creating thread 'worker': Resource temporarily unavailable", flush=True)
        signal.raise_signal(\(signal))
        """.write(toFile: fake, atomically: true, encoding: .utf8)
        #expect(chmod(fake, 0o755) == 0)
        var encoder = PictureEncoder(directory: directory)
        encoder.tools = .init(vips: fake, vipsheader: fake, interpreters: ["/usr/bin/python3"])
        let error = #expect(throws: PictureEncoder.Failed.self) {
            try encoder.encode(try TestPicture.make("png", width: 10, height: 10), for: .chat)
        }
        #expect(error?.description.contains("signal \(signal): GLib-ERROR: creating thread") == true)
    }

    @Test("What isolates decoders here is said")
    func isolation() {
        let isolation = Pictures.decoderIsolation
        #expect(isolation.hasOwnUser == (geteuid() == 0))
        #expect("\(isolation)".contains(isolation.support.landlock > 0 ? "files by Landlock" : "no Landlock"))
        let none = Pictures.DecoderIsolation(
            hasOwnUser: false, support: .init(landlock: 0, hasSeccomp: true))
        #expect(!none.isWhole && "\(none)".contains("use a kernel with Landlock"))
    }
}
