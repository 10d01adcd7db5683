import Services
import Wire

extension Router {
    /// Adds the methods for search and for pages of places.
    mutating func addSearch(_ search: Search, _ pages: PlacePages) {
        add(SearchFind.self) { try await search.find($1, for: $0.identity) }
        add(PlacesPage.self) { try await pages.page($1, for: $0.identity) }
        add(PlacesNearby.self) { try await pages.nearby($1) }
        addForAccount(PlacesEdit.self) { try await pages.edit($1, by: $0) }
        addForAccount(AdminDelegatePlace.self) { try await pages.delegate($1, by: $0) }
    }
}
