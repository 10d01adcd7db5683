import Glibc
import TestSupport
import Testing

@testable import EventLoop

@Suite("Inherited sockets")
struct InheritedSocketsTests {
    @Test("only what was passed to this very process counts, and not without end")
    func count() {
        func count(_ process: String?, _ descriptors: String?) -> Int {
            InheritedSockets.count(process: process, descriptors: descriptors, processID: 42)
        }
        #expect(count("42", "2") == 2)
        #expect(count("41", "2") == 0)
        #expect(count(nil, "2") == 0)
        #expect(count("42", nil) == 0)
        #expect(count("42", "-1") == 0)
        #expect(count("42", "x") == 0)
        #expect(count("42", "100000") == InheritedSockets.countMax)
    }

    @Test("listening sockets travel between processes and are the same there")
    func passing() throws {
        let directory = try TestDirectory.make("tls")
        let listening = try UnixChannel.listen(directory: directory, name: "control")
        let client = try #require(try UnixChannel.connect(directory: directory, name: "control"))
        let server = try #require(UnixChannel.accept(on: listening))
        let sockets = try ListeningSocket.bind(host: "127.0.0.1", port: 0)
        try server.send("sockets", sockets: sockets)
        let (message, received) = try client.receive(within: .seconds(5))
        #expect(message == "sockets")
        #expect(received.map(\.address) == sockets.map(\.address))
        #expect(received[0].descriptor != sockets[0].descriptor)
        #expect(throws: UnixChannel.Failure.self) { _ = try client.receive(within: .zero) }
        close(listening)
    }
}
