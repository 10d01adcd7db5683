import Services
import Wire

extension Router {
    /// Adds the methods for events.
    mutating func addEvents(_ events: Events) {
        let limits = limits
        add(EventsOptions.self) { caller, _ in events.options(for: caller.identity) }
        add(EventsGet.self) { try await events.event($1.event, for: $0.identity) }
        add(EventsList.self) { try await events.list($1, for: $0.identity) }
        addForAccount(EventsCreate.self) { try await events.create($1, by: $0) }
        addForAccount(EventsPublish.self) { try await events.publish($1, by: $0) }
        addForAccount(EventsUpdate.self) { try await events.update($1, by: $0) }
        addForAccount(EventsCancel.self) { try await events.cancel($1, by: $0) }
        addForAccount(EventsDelete.self) { try await events.delete($1, by: $0) }
        addForAccount(EventsAnswer.self) { try await events.answer($1, by: $0) }
        addForAccount(EventsSave.self) { try await events.save($1, by: $0) }
        addForAccount(EventsPeople.self) { try await events.people(of: $1, for: $0) }
        addForAccount(EventsSuggested.self) { try await events.suggested($1, for: $0) }
        addForAccount(EventsCalendar.self) { try await events.calendar(of: $0, $1) }
        addForAccount(EventsCalendarOff.self) { identity, _ in try await events.endCalendar(of: identity) }
        addForAccount(EventsInvite.self) { identity, params in
            let uses = (params.accounts?.count ?? 0) + 10 * (params.groups?.count ?? 0)
            try limits.use(.invite, of: identity.account.id, uses: uses)
            return EventsInvite.Result(invited: try await events.invite(params, by: identity))
        }
    }
}
