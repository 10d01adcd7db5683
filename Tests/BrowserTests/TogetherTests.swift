import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

extension WebSharing {
    /// Anna has a phone, Ben a desktop.
    @Suite("Training together")
    struct TogetherTests {
        @Test(
            "Ben invites Anna on his desktop; she joins on her phone, each sees the other's set and rest, she leaves and comes back, and he ends it for both"
        )
        func group() async throws {
            let server = try await WebRoot.start()
            let (anna, ben, _) = try await SharingTests.buddies(on: server)
            let workout = try await Self.workout(of: ben)
            try await anna.page.open("/")
            try await anna.browser.wait("the week", "document.querySelector('#week-figures')")
            try await Self.invite(ben, workout)
            let path = try await ben.browser.text("location.pathname")
            let id = try #require(path.split(separator: "/").last.map(String.init))
            try await anna.browser.wait("the invitation", "document.querySelector('#week-invitation a')")
            try await anna.page.open(path)
            try await anna.browser.wait("the invitation", "document.querySelector('#group-join')")
            try await anna.connection.call(TogetherJoin.self, .init(group: id, sharesZone: true))
            try await Self.sees(ben, "Anna", "Getting ready")
            try await anna.browser.wait("she takes part", "document.querySelector('#group-leave')")
            try await Self.update(
                anna, id, .init(phase: .exercise, set: 2, sets: 4, setsDone: 1, setsTotal: 4, zone: 3))
            try await Self.sees(ben, "Anna", "Set 2 of 4")
            try await ben.browser.wait("her zone", "document.querySelector('main').innerText.includes('Zone 3')")
            let rest = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000) + 90_000)
            try await Self.update(
                ben, id, .init(phase: .rest, set: 3, sets: 4, setsDone: 2, setsTotal: 4, restEndsAt: rest))
            try await Self.sees(anna, "Ben", "Resting")
            try await anna.taps("#group-leave", until: "she may come back", Self.button("Come back"))
            try await Self.sees(ben, "Anna", "Left")
            try await anna.connection.call(TogetherJoin.self, .init(group: id, sharesZone: false))
            try await anna.browser.wait("she takes part again", "document.querySelector('#group-leave')")
            try await ben.browser.click("#group-end")
            try await ben.browser.click("#end-group [data-answer=yes]")
            for person in [anna, ben] {
                try await person.browser.wait(
                    "the end", "document.querySelector('#group-line').textContent.startsWith('This group has ended')")
            }
            for person in [anna, ben] {
                try await person.page.expectQuietConsole(except: ["favicon.ico"])
                try await person.leave()
            }
            await server.stop()
        }

        @Test("A workout that is shared with a buddy twice is there once, and the page says so")
        func sharing() async throws {
            let server = try await WebRoot.start()
            let (anna, ben, _) = try await SharingTests.buddies(on: server)
            try await Self.workout(of: ben)
            try await ben.page.open("/together/share")
            for said in ["has a copy of your workout now", "already has this workout"] {
                try await ben.browser.click("#workout-list input")
                try await ben.browser.click("#buddy-list input")
                try await ben.browser.click("#share-workout")
                try await ben.browser.click("#confirm-share [data-answer=yes]")
                try await ben.browser.wait(
                    said, "document.getElementById('toasts').innerText.includes('\(said)')")
            }
            #expect(try await anna.connection.call(WorkoutsList.self, .init(filter: .buddies)).workouts.count == 1)
            for person in [anna, ben] { try await person.leave() }
            await server.stop()
        }

        // MARK: Steps

        @discardableResult
        static func workout(of person: Person, title: String = "Leg day") async throws -> String {
            let id = UUID().uuidString.lowercased()
            let entry = WorkoutEntry(
                id: UUID().uuidString.lowercased(), exercise: "campanile/push-up",
                sets: Array(repeating: PlannedSet(reps: 10), count: 4), restSeconds: 60)
            let plan = WorkoutPlan(
                title: title, type: .strength, intensity: .moderate, minutes: 30, place: .anywhere, equipment: [],
                tags: [],
                sections: [WorkoutSection(kind: .main, groups: [WorkoutGroup(entries: [entry])])], videos: [])
            return try await person.connection.call(WorkoutsSave.self, .init(id: id, plan: plan)).id
        }

        private static func invite(_ person: Person, _ workout: String) async throws {
            try await person.page.open("/together/new?workout=\(workout)")
            try await person.browser.wait("the workout", "document.querySelector('#workout-list input:checked')")
            try await person.browser.click("#buddy-list input")
            try await person.browser.click("#new-group-submit")
            try await person.browser.wait("the live page", "document.querySelector('#group-end')")
        }

        private static func update(_ person: Person, _ id: String, _ position: TrainingPosition) async throws {
            try await person.connection.call(TogetherUpdate.self, .init(group: id, position: position))
        }

        /// Waits until a member's row has a text.
        private static func sees(_ person: Person, _ name: String, _ text: String) async throws {
            try await person.browser.wait(
                "\(name): \(text)",
                """
                [...document.querySelectorAll('.group-member')].some((row) => row.innerText.includes('\(name)')
                  && row.innerText.includes('\(text)'))
                """)
        }

        private static func button(_ text: String) -> String {
            "document.querySelector('#group-actions').innerText.includes('\(text)')"
        }
    }
}
