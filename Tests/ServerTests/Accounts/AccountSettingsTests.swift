import Foundation
import TestSupport
import Testing
import Wire

@Suite("Settings of an account, on all its devices (C-6, T-6)")
struct AccountSettingsTests {
    /// Another device of a person, which follows the account's signals.
    private func device(of person: ChatPerson, on server: TestServer) async throws -> ChatClient {
        let device = try await ChatClient(server, token: person.token)
        _ = try await device.ask("subscribe", "{\"topic\":\"user/\(person.id)\"}")
        return device
    }

    @Test("A change on one device is signalled to the others and to nobody else; each setting has a version of its own")
    func everywhere() async throws {
        let server = try await Shared.server
        let (ana, ben) = (try await ChatPerson(server), try await ChatPerson(server))
        let (tablet, stranger) = (try await device(of: ana, on: server), try await device(of: ben, on: server))
        #expect(try await ana.client.call(AccountSettingsGet.self, Empty()) == AccountSettings())
        _ = try await ana.client.call(AccountSaveSettings.self, .init(theme: .dark, units: .kmh))
        let saved = try await ana.client.call(AccountSaveSettings.self, .init(theme: .light, audience: .campus))
        #expect(saved.versions == SettingVersions(theme: 2, units: 1, audience: 1, location: 0))
        // The same again is no change.
        #expect(try await ana.client.call(AccountSaveSettings.self, .init(theme: .light)).versions.theme == 2)
        _ = try await eventually("the signal") { tablet.signals.contains(UserSignal(type: .settings)) ? true : nil }
        #expect(try await tablet.call(AccountSettingsGet.self, Empty()) == saved)
        _ = try await ana.client.call(AccountUpdateProfile.self, .init(firstName: "Ana"))
        _ = try await eventually("the signal") { tablet.signals.contains(UserSignal(type: .account)) ? true : nil }
        _ = try await stranger.ask("ping")
        #expect(stranger.signals.isEmpty)
        #expect(try await stranger.call(AccountSettingsGet.self, Empty()) == AccountSettings())
        #expect(try await stranger.ask("account.saveSettings", "{\"theme\":\"pink\"}").contains("theme"))
    }

    @Test("Location off ends shares, pauses sessions, forgets the location and refuses new ones, until it is on again")
    func locationOff() async throws {
        let server = try await Shared.server
        let (ana, ben) = (try await ChatPerson(server), try await ChatPerson(server))
        func share() async throws -> String {
            try await ana.client.ask(
                "sharing.start",
                """
                {"clientId":"\(UUID().uuidString)","audience":"person","username":"\(ben.username)","precision":"exact",\
                "expiresIn":600}
                """)
        }
        func start() async throws -> String {
            try await ana.client.ask("tracking.start", "{\"activity\":\"run\",\"clientId\":\"\(UUID().uuidString)\"}")
        }
        let report = "{\"lat\":51.4965,\"lon\":8.0,\"accuracy\":10,\"source\":\"gps\"}"
        #expect(try await share().contains("result"))
        #expect(try await start().contains("result"))
        #expect(try await ana.client.ask("location.report", report).contains("result"))
        _ = try await ana.client.call(AccountSaveSettings.self, .init(location: false))
        #expect(try await ana.client.call(SharingMine.self, .init()).shares.isEmpty)
        #expect(try await ana.client.call(LocationMine.self, .init()).location == nil)
        let sessions = try await ana.client.call(TrackingCurrent.self, Empty()).sessions
        #expect(sessions.map(\.state) == [.paused])
        for answer in [try await share(), try await start(), try await ana.client.ask("location.report", report)] {
            #expect(answer.contains("your location is switched off"), "\(answer)")
        }
        // A run that was recorded before its device learned of it is not lost.
        let late = Timestamp.now.advanced(bySeconds: -600)
        _ = try await ana.client.call(
            TrackingStart.self, .init(activity: .run, clientId: UUID().uuidString, startedAt: late))
        _ = try await ana.client.call(AccountSaveSettings.self, .init(location: true))
        #expect(try await share().contains("result"))
        #expect(try await ana.client.ask("location.report", report).contains("result"))
    }

    @Test("The tutorial that was seen on one device is seen on all, and a client of an earlier release still saves")
    func tutorial() async throws {
        let server = try await Shared.server
        let ana = try await ChatPerson(server)
        let tablet = try await device(of: ana, on: server)
        #expect(try await tablet.call(AccountSettingsGet.self, Empty()).tutorial == .new)
        #expect(try await ana.client.call(AccountSaveSettings.self, .init(tutorial: .seen)).versions.tutorial == 1)
        _ = try await eventually("the signal") { tablet.signals.contains(UserSignal(type: .settings)) ? true : nil }
        #expect(try await tablet.call(AccountSettingsGet.self, Empty()).tutorial == .seen)
        let old = #"{"theme":"dark","base":{"theme":0,"units":0,"audience":0,"location":0}}"#
        #expect(try await ana.client.ask("account.saveSettings", old).contains(#""theme":"dark""#))
        #expect(try await tablet.ask("account.saveSettings", #"{"tutorial":"half"}"#).contains("tutorial"))
    }

    @Test("A guest has neither profile nor settings on the server")
    func guest() async throws {
        let guest = try await ChatClient(try await Shared.server)
        for method in ["account.profile", "account.updateProfile", "account.settings", "account.saveSettings"] {
            #expect(try await guest.ask(method).contains("\(ErrorCode.unauthenticated.rawValue)"))
        }
    }
}
