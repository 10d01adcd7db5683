import Services
import Wire

extension Router {
    /// Adds the methods for locations, shares and location requests.
    mutating func addShares(_ sharing: Sharing) {
        addForAccount(LocationReport.self) { try await sharing.report($1, by: $0) }
        addForAccount(LocationMine.self) { identity, _ in await sharing.location(of: identity) }
        addForAccount(LocationClear.self) { identity, _ in try await sharing.clear(by: identity) }
        addForAccount(SharingStart.self) { try await sharing.start($1, by: $0) }
        addForAccount(SharingChange.self) { try await sharing.change($1, by: $0) }
        addForAccount(SharingStop.self) { try await sharing.stop($1, by: $0) }
        addForAccount(SharingStopAll.self) { identity, _ in try await sharing.stopAll(by: identity) }
        addForAccount(SharingMine.self) { identity, _ in try await sharing.mine(of: identity) }
        addForAccount(SharingWithMe.self) { try await sharing.withMe($1, of: $0) }
        addForAccount(SharingRespond.self) { try await sharing.respond($1, by: $0) }
        addForAccount(SharingReceiptGet.self) { try await sharing.receipt($1, of: $0) }
        addForAccount(SharingPast.self) { try await sharing.past($1, of: $0) }
        addForAccount(SharingErasePast.self) { identity, _ in try await sharing.erasePast(of: identity) }
        addForAccount(SharingAsk.self) { try await sharing.ask($1, by: $0) }
        addForAccount(SharingRequests.self) { identity, _ in try await sharing.requests(of: identity) }
        addForAccount(SharingAnswer.self) { try await sharing.answer($1, by: $0) }
        addForAccount(SharingAnswered.self) { try await sharing.answered($1, by: $0) }
    }
}
