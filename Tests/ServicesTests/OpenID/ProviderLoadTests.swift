import Foundation
import OpenID
import Synchronization
import TestSupport
import Testing
import Wire

@testable import EventLoop
@testable import Services

@Suite("Requests to providers")
struct ProviderLoadTests {
    @Test("A provider that hangs holds up no other, and its keys are loaded once for all who wait")
    func slow() async throws {
        let world = try await OpenIDWorld(["normal", "es256"], isOwn: true)
        var visits: [OpenIDWorld.Visit] = []
        for _ in 0..<8 { visits.append(try await world.visit("es256")) }
        try await world.control("slow=es256")
        let done = RequestCount()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for visit in visits {
                group.addTask {
                    _ = try await world.finish("es256", visit)
                    _ = done.next()
                }
            }
            _ = try await eventually("the provider hangs") {
                world.provider.said("token").contains { $0.text("case") == "es256" } ? true : nil
            }
            _ = try await world.prove("normal")
            #expect(done.value == 0)
            try await group.waitForAll()
        }
        #expect(world.provider.said("keys").count { $0.text("case") == "es256" } == 1)
        await world.close()
    }

    @Test("A clock that is set back prolongs no wait after a failure")
    func clockSetBack() async throws {
        let world = try await OpenIDWorld(["normal"], isOwn: true)
        try await world.control("down=normal")
        await #expect(throws: OpenIDFailure.self) { try await world.visit("normal") }
        try await world.control("up=normal")
        world.clock.advance(bySeconds: -3_600)
        _ = try await world.visit("normal")
        await world.close()
    }

    @Test("Too much work of this server is no failure of the provider: the next attempt sends a request again")
    func overloaded() async throws {
        let world = try await OpenIDWorld(["normal"])
        #expect(await world.openID.loadsAfterOverload() == 2)
        await world.close()
    }

    @Test("The configuration of a remote provider names no address of this machine; that of one on this machine may")
    func plain() throws {
        func metadata(_ issuer: String, _ plain: String? = nil) throws -> ProviderMetadata {
            var members = ["issuer": issuer]
            for name in ["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"] {
                members[name] = name == plain ? "http://127.0.0.1:9200/\(name)" : "https://id.example/\(name)"
            }
            return try ProviderMetadata(
                Array(try JSONEncoder().encode(members)),
                of: ProviderSettings(
                    name: "x", label: "X", issuer: issuer, clientID: "campanile", credential: .none))
        }
        for name in ["authorization_endpoint", "token_endpoint", "jwks_uri"] {
            #expect(throws: OpenIDFailure.badMetadata("\(name) is missing or no https URL")) {
                try metadata("https://id.example", name)
            }
            _ = try metadata("http://127.0.0.1:8080", name)
        }
        #expect(try metadata("https://id.example", "userinfo_endpoint").userinfoEndpoint == nil)
        #expect(try metadata("http://127.0.0.1:8080", "userinfo_endpoint").userinfoEndpoint != nil)
    }
}

extension OpenIDSignIn {
    /// Number of requests that two attempts send if the first one finds the pool full.
    fileprivate func loadsAfterOverload() async -> Int {
        let count = RequestCount()
        let provider = OpenIDProvider(settings[0], now: { Timestamp(milliseconds: 0) }) { _ in
            guard count.next() > 1 else { throw WorkerPool.Overloaded() }
            throw OpenIDFailure.unreachable("it is away")
        }
        for _ in 0..<2 { _ = try? await provider.loadMetadata(isolation: self) }
        return count.value
    }
}

private final class RequestCount: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func next() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }
}
