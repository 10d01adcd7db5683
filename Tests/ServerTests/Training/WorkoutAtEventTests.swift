import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

@Suite("Workouts at events")
struct WorkoutAtEventTests {
    private static func id() -> String { UUID().uuidString.lowercased() }

    private static func details(at start: Timestamp) -> EventDetails {
        EventDetails(title: "Together in the gym", startsAt: start, duration: 3_600, place: EventPlace(name: "Gym"))
    }

    private func workout(of person: CampanileConnection) async throws -> Workout {
        let plan = WorkoutPlan(
            title: "Legs", type: .strength, intensity: .moderate, minutes: 30, place: .gym, equipment: [], tags: [],
            sections: [
                WorkoutSection(
                    kind: .main,
                    groups: [
                        WorkoutGroup(entries: [
                            WorkoutEntry(
                                id: Self.id(), exercise: "campanile/squat", sets: [PlannedSet(reps: 10)],
                                restSeconds: 60)
                        ])
                    ])
            ], videos: [])
        return try await person.call(WorkoutsSave.self, .init(id: Self.id(), plan: plan))
    }

    @Test(
        "A workout is planned at a draft, seen at the event by its owner alone, and moves with the event, but not from another time, nor for people who left"
    )
    func moves() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let (host, _) = try await server.register()
        let (guest, _) = try await server.register()
        let start = Timestamp.now.advanced(bySeconds: 86_400)
        let later = start.advanced(bySeconds: 3_600)
        let event = try await host.call(
            EventsCreate.self,
            .init(id: Self.id(), audience: .public, details: Self.details(at: start), publish: false))
        let own = try await workout(of: host)
        _ = try await host.call(WorkoutsSchedule.self, .init(workout: own.id, at: start, event: event.id))
        _ = try await host.call(EventsPublish.self, .init(event: event.id))
        #expect(try await host.call(EventsGet.self, .init(event: event.id)).mine.workout == own.id)
        #expect(try await guest.call(EventsGet.self, .init(event: event.id)).mine.workout == nil)

        let (same, other) = (try await workout(of: guest), try await workout(of: guest))
        await #expect(throws: RPCError.self) {
            _ = try await guest.call(WorkoutsSchedule.self, .init(workout: same.id, at: start, event: event.id))
        }
        _ = try await guest.call(EventsAnswer.self, .init(event: event.id, answer: .going))
        _ = try await guest.call(WorkoutsSchedule.self, .init(workout: same.id, at: start, event: event.id))
        let before = start.advanced(bySeconds: -1_800)
        _ = try await guest.call(WorkoutsSchedule.self, .init(workout: other.id, at: before, event: event.id))

        let current = try await host.call(EventsGet.self, .init(event: event.id))
        _ = try await host.call(
            EventsUpdate.self,
            .init(event: event.id, revision: current.revision, details: Self.details(at: later)))
        func time(_ workout: Workout, of person: CampanileConnection) async throws -> Timestamp? {
            try await person.call(WorkoutsGet.self, .init(workout: workout.id)).scheduledAt
        }
        #expect(try await time(own, of: host) == later)
        #expect(try await time(same, of: guest) == later)
        #expect(try await time(other, of: guest) == before)
        #expect(try await guest.call(EventsGet.self, .init(event: event.id)).mine.workout == other.id)

        // After leaving the event, the plan stays and can be saved again.
        _ = try await guest.call(EventsAnswer.self, .init(event: event.id, answer: .no))
        let kept = try await guest.call(WorkoutsSchedule.self, .init(workout: same.id, at: later, event: event.id))
        #expect(kept.scheduledAt == later && kept.event == event.id)
        let again = try await host.call(EventsGet.self, .init(event: event.id))
        _ = try await host.call(
            EventsUpdate.self,
            .init(event: event.id, revision: again.revision, details: Self.details(at: start)))
        #expect(try await time(own, of: host) == start)
        #expect(try await time(same, of: guest) == later)
        await server.stop()
    }
}
