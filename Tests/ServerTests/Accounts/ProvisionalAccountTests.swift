import Campus
import Foundation
import Server
import TestSupport
import Testing
import Wire

@Suite("Accounts whose address is not confirmed, at a whole server")
struct ProvisionalAccountTests {
    private let mail: TestPython
    private let server: TestServer

    init() async throws {
        let mail = try await TestPython.start("mail", ["plain"])
        self.mail = mail
        server = try await Self.start(mail)
    }

    private static func start(
        _ mail: TestPython, _ confirmation: ConfirmationPolicy = .optional
    ) async throws -> TestServer {
        try await TestServer.start {
            try $0.sendMail(through: mail)
            $0.confirmation = confirmation
        }
    }

    /// The code in the latest mail to a person.
    private func code(of person: ChatPerson) async throws -> String {
        try await eventually("the mail arrives") {
            mail.said("mail").last { $0.text("to") == "\(person.username)@example.org" }?.object("headers").text(
                "subject"
            )
            .firstMatch(of: /^([0-9]{8}) is your/).map { String($0.1) }
        }
    }

    private func confirm(_ person: ChatPerson) async throws {
        let own = try await person.client.call(AccountConfirmEmail.self, .init(code: try await code(of: person)))
        #expect(own.account.isEmailConfirmed && own.account.confirmBy == nil)
    }

    /// A place in a zone of the campus.
    private static let place = (
        lat: SampleCampus.courses[0].line[0].latitude, lon: SampleCampus.courses[0].line[0].longitude
    )

    private static func event() -> EventsCreate.Params {
        .init(
            id: UUID().uuidString, audience: .public,
            details: .init(
                title: "Meeting", description: "", workout: "running",
                startsAt: Timestamp.now.advanced(bySeconds: 7_200),
                duration: 3_600, place: .init(name: "Hall")), publish: true)
    }

    /// What is for the campus, as a person tries to use and to see it; the names of those that worked.
    private func reached(
        by person: ChatClient, session: Int64, share: Int64, event: Int64
    ) async throws -> Set<String> {
        var worked: Set<String> = []
        func attempt(_ name: String, _ method: String, _ params: String) async throws {
            let answer = try await person.ask(method, params)
            guard !answer.contains(#""error""#) else {
                #expect(
                    answer.contains("Confirm your email address first") || answer.contains("agree to the rules first")
                        || answer.contains("there is no such")
                        || answer.contains("not shared with you"), "\(name): \(answer)")
                return
            }
            worked.insert(name)
        }
        let start = #""clientId":"\#(UUID().uuidString)","audience":"#
        let share0 = #""clientId":"\#(UUID().uuidString)","expiresIn":600,"precision":"zone","audience":"#
        try await attempt("run for the campus", "tracking.start", #"{"activity":"run",\#(start)"campus"}"#)
        try await attempt("run for everybody", "tracking.start", #"{"activity":"run",\#(start)"public"}"#)
        try await attempt("share", "sharing.start", #"{\#(share0)"campus"}"#)
        try await attempt("buddies", "buddies.deck", "{}")
        try await attempt("event", "events.get", #"{"event":\#(event)}"#)
        let made = await (try? person.call(EventsCreate.self, Self.event()))
        if made != nil { worked.insert("event for everybody") }
        try await attempt("people", "subscribe", #"{"topic":"people/34220/24560"}"#)
        try await attempt("session", "subscribe", #"{"topic":"session/\#(session)"}"#)
        try await attempt("past session", "tracking.session", #"{"session":\#(session)}"#)
        try await attempt("other's share", "subscribe", #"{"topic":"share/\#(share)"}"#)
        let place = try await person.call(CampusLocate.self, .init(lat: Self.place.lat, lon: Self.place.lon))
        let zone = try #require(place.zone).id
        let map = try await person.ask("subscribe", #"{"topic":"zone/\#(zone)/positions"}"#)
        if map.contains(#""session":\#(session),"#) { worked.insert("map") }
        let listed = try await person.call(SharingWithMe.self, .init(campus: true)).shares.map(\.id)
        if listed.contains(share) { worked.insert("list of shares") }
        return worked
    }

    @Test(
        "Until its address is confirmed, an account neither uses nor sees anything for the campus; then it does, on its other devices too"
    )
    func campus() async throws {
        let owner = try await ChatPerson(server)
        try await confirm(owner)
        let session = try await owner.client.call(
            TrackingStart.self, .init(activity: .run, clientId: UUID().uuidString, audience: .campus)
        ).session.id
        let points = (1...20).map { (index: Int) -> TrackPoint in
            let longitude = Self.place.lon + Double(index) * 3e-5
            let time = Timestamp.now.advanced(bySeconds: Double(index - 21))
            return TrackPoint(seq: Int64(index), lat: Self.place.lat, lon: longitude, time: time, accuracy: 5)
        }
        _ = try await owner.client.call(TrackingPoints.self, .init(session: session, points: points))
        _ = try await owner.client.call(
            LocationReport.self, .init(lat: Self.place.lat, lon: Self.place.lon, accuracy: 5, source: .gps))
        let share = try await owner.client.call(
            SharingStart.self,
            .init(clientId: UUID().uuidString, audience: .campus, precision: .zone, expiresIn: 3_600)
        ).share.id
        let event = try await owner.client.call(EventsCreate.self, Self.event()).id
        let person = try await ChatPerson(server)
        #expect(try await reached(by: person.client, session: session, share: share, event: event) == [])
        // What is for the account itself works.
        let start = TrackingStart.Params(activity: .run, clientId: UUID().uuidString, audience: .private)
        let own = try await person.client.call(TrackingStart.self, start).session
        #expect(
            try await person.client.refusal(TrackingAudience.self, .init(session: own.id, audience: .campus))
                == MethodAccess.needsConfirmedAddress)

        let connection = try await server.connect()
        let signedIn = try await connection.call(
            AccountLogin.self, .init(email: "\(person.username)@example.org", password: TestServer.password))
        await connection.close()
        let tablet = try await ChatClient(server, token: signedIn.token)
        _ = try await tablet.ask("subscribe", #"{"topic":"user/\#(person.id)"}"#)
        try await confirm(person)
        _ = try await eventually("the other device learns of it") {
            tablet.signals.contains { $0.type == .account } ? true : nil
        }
        #expect(try await tablet.call(AccountMe.self, .init()).account.isEmailConfirmed)
        let all: Set = [
            "run for the campus", "run for everybody", "share", "people", "session", "past session", "other's share",
            "list of shares", "event", "event for everybody", "map",
        ]
        for device in [person.client, tablet] {
            let reached = try await reached(by: device, session: session, share: share, event: event)
            #expect(reached.isSuperset(of: all), "\(all.subtracting(reached))")
        }
        await server.stop()
    }

    @Test(
        "Where the operator requires a confirmed address, an account without one may only confirm it, sign out, or delete itself"
    )
    func required() async throws {
        let server = try await Self.start(mail, .required)
        let person = try await ChatPerson(server)
        let allowed: Set = [
            "account.me", "account.devices", "account.logout", "account.logoutEverywhere", "account.sendConfirmation",
            "account.confirmEmail", "account.changeEmail", "account.delete", "account.settings", "account.saveSettings",
        ]
        for method in APIRegistry.methods where method.access != .everybody {
            guard !allowed.contains(method.name) else { continue }
            if case .roles = method.access { continue }
            let answer = try await person.client.ask(method.name)
            #expect(answer.contains("Confirm your email address first"), "\(method.name): \(answer)")
        }
        for topic in ["notices", "chat/1", "people/34220/24560"] {
            let answer = try await person.client.ask("subscribe", #"{"topic":"\#(topic)"}"#)
            #expect(answer.contains("Confirm your email address first"), "\(topic): \(answer)")
        }
        let own = try await person.client.ask("subscribe", #"{"topic":"user/\#(person.id)"}"#)
        #expect(own.contains(#""result""#))
        try await confirm(person)
        #expect(try await person.client.ask("chat.list").contains(#""result""#))
        await server.stop()
    }
}
