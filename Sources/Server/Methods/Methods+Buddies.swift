import Hub
import Services
import Wire

extension Router {
    /// Adds the methods for profiles, buddies, blocks and reports.
    mutating func addBuddies(_ buddies: Buddies, _ safety: Safety, _ hub: Hub) {
        addForAccount(ProfileGet.self) { identity, _ in try await buddies.profile(identity) }
        addForAccount(ProfileSave.self) { identity, params in
            let saved = try await buddies.saveProfile(identity, params)
            await Self.announceAccount(identity, hub)
            return saved
        }
        addForAccount(BuddiesOptions.self) { identity, _ in try await buddies.options(identity) }
        addForAccount(BuddiesAgree.self) { try await buddies.agree($0, $1) }
        addForAccount(BuddiesMe.self) { identity, _ in try await buddies.me(identity) }
        addForAccount(BuddiesSave.self) { identity, params in
            let saved = try await buddies.save(identity, params)
            // The picture is that of the account.
            await Self.announceAccount(identity, hub)
            return saved
        }
        addForAccount(BuddiesSuggestions.self) { try await buddies.deck($0, $1) }
        addForAccount(BuddiesDecide.self) { try await buddies.decide($0, $1) }
        addForAccount(BuddiesCard.self) { try await buddies.card($0, $1) }
        addForAccount(BuddiesList.self) { identity, _ in try await buddies.list(identity) }
        addForAccount(BuddiesRemove.self) { try await buddies.remove($0, $1) }
        addForAccount(SafetyBlock.self) { try await safety.block($0, $1) }
        addForAccount(SafetyUnblock.self) { try await safety.unblock($0, $1) }
        addForAccount(SafetyBlocked.self) { identity, _ in try await safety.blocked(identity) }
        addForAccount(SafetyReport.self) { try await safety.report($0, $1) }
        addForAccount(ReportsList.self) { try await safety.reports($0, $1) }
        addForAccount(ReportsClose.self) { try await safety.close($0, $1) }
    }
}
