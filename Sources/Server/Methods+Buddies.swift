import Services
import Wire

extension Router {
    /// Adds profiles, buddies and safety.
    mutating func addBuddies(_ buddies: Buddies, _ safety: Safety) {
        add(ProfileGet.self) { caller, _ in try await buddies.profile(try caller.requireIdentity()) }
        add(ProfileSave.self) { try await buddies.saveProfile(try $0.requireIdentity(), $1) }
        add(BuddiesOptions.self) { caller, _ in try await buddies.options(try caller.requireIdentity()) }
        add(BuddiesAgree.self) { try await buddies.agree(try $0.requireIdentity(), $1) }
        add(BuddiesMe.self) { caller, _ in try await buddies.me(try caller.requireIdentity()) }
        add(BuddiesSave.self) { try await buddies.save(try $0.requireIdentity(), $1) }
        add(BuddiesDeck.self) { try await buddies.deck(try $0.requireIdentity(), $1) }
        add(BuddiesDecide.self) { try await buddies.decide(try $0.requireIdentity(), $1) }
        add(BuddiesCard.self) { try await buddies.card(try $0.requireIdentity(), $1) }
        add(BuddiesList.self) { caller, _ in try await buddies.list(try caller.requireIdentity()) }
        add(BuddiesRemove.self) { try await buddies.remove(try $0.requireIdentity(), $1) }
        add(SafetyBlock.self) { try await safety.block(try $0.requireIdentity(), $1) }
        add(SafetyUnblock.self) { try await safety.unblock(try $0.requireIdentity(), $1) }
        add(SafetyBlocked.self) { caller, _ in try await safety.blocked(try caller.requireIdentity()) }
        add(SafetyReport.self) { try await safety.report(try $0.requireIdentity(), $1) }
        add(ReportsList.self) { try await safety.reports(try $0.requireIdentity(), $1) }
        add(ReportsClose.self) { try await safety.close(try $0.requireIdentity(), $1) }
    }
}
