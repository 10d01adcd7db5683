import Services
import Wire

extension Router {
    /// Adds events.
    mutating func addEvents(_ events: Events) {
        let limits = limits
        add(EventsOptions.self) { caller, _ in events.options(for: caller.identity) }
        add(EventsGet.self) { try await events.event($1.event, for: $0.identity) }
        add(EventsList.self) { caller, params in
            try limits.listing(by: caller)
            return try await events.list(params, for: caller.identity)
        }
        add(EventsCreate.self) { try await events.create($1, by: try $0.requireIdentity()) }
        add(EventsPublish.self) { try await events.publish($1, by: try $0.requireIdentity()) }
        add(EventsUpdate.self) { try await events.update($1, by: try $0.requireIdentity()) }
        add(EventsCancel.self) { try await events.cancel($1, by: try $0.requireIdentity()) }
        add(EventsDelete.self) { try await events.delete($1, by: try $0.requireIdentity()) }
        add(EventsAnswer.self) { try await events.answer($1, by: try $0.requireIdentity()) }
        add(EventsSave.self) { try await events.save($1, by: try $0.requireIdentity()) }
        add(EventsPeople.self) { try await events.people(of: $1, for: try $0.requireIdentity()) }
        add(EventsSuggested.self) { caller, params in
            let identity = try caller.requireIdentity()
            try limits.listing(by: caller)
            return try await events.suggested(params, for: identity)
        }
        add(EventsCalendar.self) { caller, _ in try await events.makeCalendar(of: try caller.requireIdentity()) }
        add(EventsCalendarOff.self) { caller, _ in try await events.endCalendar(of: try caller.requireIdentity()) }
        add(EventsInvite.self) { caller, params in
            let identity = try caller.requireIdentity()
            try limits.invitation(
                of: identity.account.id, people: (params.accounts?.count ?? 0) + 10 * (params.groups?.count ?? 0))
            return EventsInvite.Result(invited: try await events.invite(params, by: identity))
        }
    }
}
