import CampanileClient
import EventLoop
import Foundation
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Server

/// What two servers tell each other over the channel between them, and when one of them is told to stop.
extension TakeOverTests {
    /// What the other side hears when the channel was dropped.
    private static let gone = "the other server is gone"
    private static let busy = "the running server is being taken over by another one already"

    /// Why a call failed.
    private func failure(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch { return "\(error)" }
    }

    @Test("A server that is told to stop while another one prepares to take over stops at once")
    func stopWhileOffering() async throws {
        let server = try await TestServer.start()
        let connection = try await server.connect()
        let (_, running) = try await server.run()
        let asker = try #require(try await TakeOver.begin(dataDirectory: server.dataDirectory))
        // However many ask, the stop is not forgotten.
        for _ in 0..<12 {
            let said = await failure { _ = try await TakeOver.begin(dataDirectory: server.dataDirectory) }
            #expect(said == Self.busy)
        }
        running.cancel()
        let said = await failure {
            try await asker.channel.blocking { _ = try $0.receive(within: TakeOverMessage.answerTimeMax) }
        }
        try #require(said == Self.gone)
        #expect(try await running.value == .stopped)
        guard case .disconnected(_, 1012) = await connection.untilEnded() else {
            Issue.record("not told of the stop")
            return
        }
        #expect(try await TakeOver.begin(dataDirectory: server.dataDirectory) == nil)
    }

    @Test("A server that is told to stop while another one starts in its place starts nothing again, and lets it go on")
    func stopWhileCompleting() async throws {
        let server = try await TestServer.start()
        let (run, running) = try await server.run()
        let old = run.server
        let next = try #require(try await TakeOver.begin(dataDirectory: server.dataDirectory))
        try await next.proceed()
        #expect(await failure { _ = try await TakeOver.begin(dataDirectory: server.dataDirectory) } == Self.busy)
        running.cancel()
        let said = await failure {
            try await next.channel.blocking { _ = try $0.receive(within: TakeOverMessage.answerTimeMax) }
        }
        try #require(said == Self.gone)
        #expect(try await running.value == .stopped)
        #expect(run.server === old)
        try await next.finish(nil)
    }

    @Test("A server that is told to stop while it sends its last answers gives them up")
    func stopWhileSayingFarewell() async throws {
        let server = try await TestServer.start()
        let old = try #require(await server.server)
        let (slow, _) = try await slowReader(of: server, old.environment)
        await old.stop(isHandingOver: true)
        #expect(old.environment.registry.sendingCount == 1)
        let isOver = Atomic(false)
        let farewell = Task {
            await old.sayFarewell()
            isOver.store(true, ordering: .releasing)
        }
        farewell.cancel()
        _ = try await eventually("the farewell is over", within: CampanileServer.handedOverSendingTimeMax / 2) {
            isOver.load(ordering: .acquiring) ? true : nil
        }
        _ = try await eventually("nothing is being sent") {
            old.environment.registry.sendingCount == 0 ? true : nil
        }
        slow.close()
    }

    @Test("Who asks while another one is taking over is told so at once, and may when that one has given up")
    func busy() async throws {
        let server = try await TestServer.start()
        _ = try await server.run()
        do {
            let first = try #require(try await TakeOver.begin(dataDirectory: server.dataDirectory))
            for _ in 0..<3 {
                let said = await failure { _ = try await TakeOver.begin(dataDirectory: server.dataDirectory) }
                #expect(said == Self.busy)
            }
            _ = first
        }
        let next = try await eventually("another one may ask") {
            try? await TakeOver.begin(dataDirectory: server.dataDirectory)
        }
        #expect(!next.sockets.isEmpty)
        await server.stop()
    }

    @Test("A new server that was given up for lost is told that the old one serves again, which another can replace")
    func resumed() async throws {
        let server = try await TestServer.start()
        let (run, _) = try await server.run()
        let old = run.server
        let lost = try #require(try await TakeOver.begin(dataDirectory: server.dataDirectory))
        try await lost.proceed()
        // As good as waiting for too long.
        try lost.channel.send("nonsense")
        _ = try await eventually("it serves again") { run.server === old ? nil : true }
        let connection = try await server.connect()
        _ = try await connection.call(Ping.self)
        await #expect(throws: UnixChannel.Failure.self) { try await lost.finish(nil) }
        let next = try await eventually("another one may ask") {
            try? await TakeOver.begin(dataDirectory: server.dataDirectory)
        }
        #expect(!next.sockets.isEmpty)
        await connection.close()
        await server.stop()
    }

    @Test("The successor's control socket is in place before the other server goes, which leaves the name alone")
    func successor() async throws {
        let directory = try TestDirectory.make("control")
        let path = directory + "/control.sock"
        let sockets = try ListeningSocket.bind(host: "127.0.0.1", port: 0)
        func handOver(_ control: ControlSocket) async throws {
            for await handOver in control.requests {
                try await handOver.offer(sockets)
                return try await handOver.complete(control)
            }
        }
        func inode() throws -> UInt64? {
            try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? UInt64
        }
        let first = try ControlSocket(dataDirectory: directory)
        async let replaced: Void = handOver(first)
        let takeOver = try #require(try await TakeOver.begin(dataDirectory: directory))
        try await takeOver.proceed()
        let second = try ControlSocket(dataDirectory: directory)
        let mine = try inode()
        try await takeOver.finish(second)
        try await replaced
        #expect(try inode() == mine)
        // Even a name that nobody has replaced stays: the replacement could come at any moment.
        async let left: Void = handOver(second)
        let again = try #require(try await TakeOver.begin(dataDirectory: directory))
        try await again.proceed()
        try await again.finish(nil)
        try await left
        #expect(try inode() == mine)
    }

    @Test("A new server that gives up before the old one was asked to go changes nothing")
    func givenUp() async throws {
        let server = try await TestServer.start()
        let connection = try await server.connect()
        let directory = try TestDirectory.make("control")
        let control = try ControlSocket(dataDirectory: directory)
        let sockets = try ListeningSocket.bind(host: "127.0.0.1", port: 0)
        async let offered: Bool = {
            for await handOver in control.requests {
                do {
                    try await handOver.offer(sockets)
                    return true
                } catch { return false }
            }
            return true
        }()
        do {
            let takeOver = try #require(try await TakeOver.begin(dataDirectory: directory))
            #expect(takeOver.sockets.map(\.address) == sockets.map(\.address))
        }
        let isHandedOver = await offered
        #expect(!isHandedOver)
        _ = try await connection.call(Ping.self)
        control.close()
        await connection.close()
        await server.stop()
    }

    @Test("Without a running server there is nobody to ask, also when one was killed and left its socket behind")
    func nobody() async throws {
        let directory = try TestDirectory.make("control")
        #expect(try await TakeOver.begin(dataDirectory: directory) == nil)
        #expect(try await TakeOver.begin(dataDirectory: directory + "/missing") == nil)
        let stale = try UnixChannel.listen(directory: directory, name: TakeOverMessage.socketName)
        close(stale)
        #expect(FileManager.default.fileExists(atPath: directory + "/control.sock"))
        #expect(try await TakeOver.begin(dataDirectory: directory) == nil)
        // And a server that starts there takes the name over.
        let control = try ControlSocket(dataDirectory: directory)
        let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/control.sock")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        // A successor's socket stays when this one goes.
        let next = try ControlSocket(dataDirectory: directory)
        control.close()
        #expect(FileManager.default.fileExists(atPath: directory + "/control.sock"))
        next.close()
        #expect(!FileManager.default.fileExists(atPath: directory + "/control.sock"))
    }
}
