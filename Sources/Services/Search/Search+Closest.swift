import Campus
import Wire

extension Search {
    /// Displayed name of a destination; nil if the campus has none with this id.
    /// - Throws: `unavailable` before the directory is ready.
    func name(of id: DestinationID) async throws -> String? { try await current()[id]?.name }

    /// The closest place of these classes; an open one or one whose hours are not known before a closed one.
    /// - Parameter kinds: Classes in descending order of suitability. A class counts only if the campus has no place of those before it.
    func closest(of kinds: [[String]], to point: GeoPoint) async throws -> SuitablePlace? {
        let directory = try await current()
        for group in kinds {
            let found = directory.listed.filter { one in one.kindOfPlace.map(group.contains) ?? false }
            let places = found.map { one in
                SuitablePlace(
                    destination: one.id.description, name: one.name, metres: point.distance(to: one.point).rounded(),
                    open: openingHours.isOpen(one.openingHours))
            }
            let best = places.min { one, other in
                let (first, second) = (one.open == false, other.open == false)
                return first == second ? (one.metres, one.destination) < (other.metres, other.destination) : second
            }
            if let best { return best }
        }
        return nil
    }
}
