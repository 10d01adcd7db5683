import Foundation
import TestSupport
import Testing
import Wire

@Suite("Changing the password while sharing")
struct SharingPasswordTests {
    @Test(
        "The device that changes the password is notified that its shares have ended, and stays signed in without any")
    func hears() async throws {
        let server = try await TestServer.start()
        let stage = try await ShareStage(server)
        let client = stage.owner.client
        _ = try await client.ask("subscribe", #"{"topic":"user/\#(stage.owner.id)"}"#)
        let share = try await stage.start(.link).share.id
        func heard() -> Int { client.signals.count { $0.type == .share && $0.share == share } }
        _ = try await eventually("the device hears of the start") { heard() > 0 ? true : nil }
        let before = heard()
        let changed = try await client.call(
            AccountChangePassword.self, .init(password: TestServer.password, newPassword: "Another123"))
        #expect(changed.revoked == 0)
        _ = try await eventually("the device hears of the end") { heard() > before ? true : nil }
        #expect(try await client.call(SharingMine.self, .init()).shares.isEmpty)
        await server.stop()
    }
}
