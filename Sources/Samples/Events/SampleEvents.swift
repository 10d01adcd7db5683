import Foundation
import Wire

/// Makes the sample events, with answers, a waiting list and invitations.
struct SampleEvents: Sendable {
    let people: SamplePeople
    let places: SamplePlaces
    let time: SampleTime

    /// Makes all events, each by its owner.
    func make() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for plan in SampleEventPlan.all { group.addTask { try await make(plan) } }
            try await group.waitForAll()
        }
    }

    private func make(_ plan: SampleEventPlan) async throws {
        let owner = people.owner(of: plan)
        let place = places[plan.place]
        let details = EventDetails(
            title: plan.title, description: plan.description, workout: plan.workout,
            startsAt: time.coming(inDays: plan.inDays, hour: plan.hour, minute: plan.minute),
            duration: plan.minutes * 60,
            place: EventPlace(name: plan.place, lat: place?.latitude, lon: place?.longitude), capacity: plan.capacity)
        let event = try await owner.client.call(
            EventsCreate.self, .init(id: UUID().uuidString, audience: plan.audience, details: details, publish: true))
        if plan.audience == .private {
            try await owner.attempt(
                EventsInvite.self,
                .init(
                    event: event.id,
                    accounts: [people.visitor.account.id] + plan.going.map { people.students[$0].account.id }))
        }
        // One after the other: the order decides who waits.
        for index in plan.going { try await answer(event.id, .going, by: people.students[index]) }
        for index in plan.maybe { try await answer(event.id, .maybe, by: people.students[index]) }
        try await answer(event.id, by: plan.visitor)
        if let reason = plan.cancelled {
            try await owner.attempt(EventsCancel.self, .init(event: event.id, reason: reason))
        }
    }

    private func answer(_ event: Int64, _ answer: EventAnswer, by person: SamplePerson) async throws {
        try await person.attempt(EventsAnswer.self, .init(event: event, answer: answer))
    }

    private func answer(_ event: Int64, by visitor: SampleEventPlan.Visitor) async throws {
        switch visitor {
        case .none, .invited: break
        case .going: try await answer(event, .going, by: people.visitor)
        case .maybe: try await answer(event, .maybe, by: people.visitor)
        case .saved: try await people.visitor.attempt(EventsSave.self, .init(event: event, saved: true))
        }
    }
}
