import Services
import Wire

extension Router {
    /// Adds the methods for retained data, saved places, searches and visits.
    mutating func addPersonalData(_ data: PersonalData, _ places: PersonalPlaces) {
        addForAccount(AccountData.self) { identity, _ in try await data.kept(of: identity) }
        addForAccount(AccountDelete.self) { try await data.delete($1, by: $0) }
        addForAccount(SavedList.self) { identity, _ in try await places.saved(of: identity) }
        addForAccount(SavedSave.self) { try await places.save($1, of: $0) }
        addForAccount(SavedRemove.self) { try await places.removeSaved($1, of: $0) }
        addForAccount(SearchesNote.self) { try await places.note($1, of: $0) }
        addForAccount(SearchesList.self) { identity, _ in try await places.searches(of: identity) }
        addForAccount(SearchesErase.self) { try await places.eraseSearches($1, of: $0) }
        addForAccount(VisitsMost.self) { identity, _ in try await places.mostVisited(of: identity) }
        addForAccount(VisitsErase.self) { try await places.eraseVisits($1, of: $0) }
    }
}
