import Services
import Wire

extension Router {
    /// Adds the methods for locations, shares and location requests.
    mutating func addShares(_ sharing: Sharing) {
        let limits = limits
        addForAccount(LocationReport.self) { identity, params in
            try limits.location(of: identity.account.id)
            return try await sharing.report(params, by: identity)
        }
        addForAccount(LocationMine.self) { identity, _ in await sharing.location(of: identity) }
        addForAccount(LocationClear.self) { identity, _ in try await sharing.clear(by: identity) }
        addForAccount(SharingStart.self) { identity, params in
            try limits.invitation(of: identity.account.id, people: 1)
            return try await sharing.start(params, by: identity)
        }
        addForAccount(SharingChange.self) { try await sharing.change($1, by: $0) }
        addForAccount(SharingStop.self) { try await sharing.stop($1, by: $0) }
        addForAccount(SharingStopAll.self) { identity, _ in try await sharing.stopAll(by: identity) }
        addForAccount(SharingMine.self) { identity, _ in try await sharing.mine(of: identity) }
        addForAccount(SharingWithMe.self) { identity, params in
            try limits.listing(of: identity.account.id)
            return try await sharing.withMe(params, of: identity)
        }
        addForAccount(SharingRespond.self) { try await sharing.respond($1, by: $0) }
        addForAccount(SharingReceiptGet.self) { try await sharing.receipt($1, of: $0) }
        addForAccount(SharingPast.self) { try await sharing.past($1, of: $0) }
        addForAccount(SharingErasePast.self) { identity, _ in try await sharing.erasePast(of: identity) }
        addForAccount(SharingAsk.self) { identity, params in
            try limits.invitation(of: identity.account.id, people: 1)
            return try await sharing.ask(params, by: identity)
        }
        addForAccount(SharingRequests.self) { identity, _ in try await sharing.requests(of: identity) }
        addForAccount(SharingAnswer.self) { try await sharing.answer($1, by: $0) }
        addForAccount(SharingAnswered.self) { try await sharing.answered($1, by: $0) }
    }
}
