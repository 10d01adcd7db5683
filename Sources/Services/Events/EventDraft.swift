import Campus
import Foundation
import Wire

/// Validated details of an event.
struct EventDraft: Sendable {
    /// Largest length of a title and of a place name.
    static let titleCharactersMax = TextLimit.eventTitle.max
    /// Largest length of a description.
    static let descriptionCharactersMax = TextLimit.eventDescription.max
    /// Permitted duration of an event, in seconds.
    static let durationSeconds = 300.0...1_209_600.0
    /// Largest number of days until an event's start.
    static let aheadDaysMax = 730.0
    /// Largest capacity of an event.
    static let capacityMax = 100_000

    let title: String
    let description: String?
    let workout: String?
    let startsAt: Timestamp
    let endsAt: Timestamp
    let place: String
    let position: LatLon?
    let capacity: Int?

    /// - Throws: ``Wire/RPCError`` with the invalid field.
    init(_ details: EventDetails, now: Timestamp) throws {
        title = try Self.name(details.title, "details.title")
        let description = try Inputs.text(
            Inputs.composed(details.description, charactersMax: Self.descriptionCharactersMax), "details.description",
            charactersMax: Self.descriptionCharactersMax, isAllowed: Inputs.isLayout)
        self.description = LineFault.isVisible(description) ? description : nil
        if let workout = details.workout, !EventWorkouts.ids.contains(workout) {
            throw RPCError.invalid("details.workout", "is not a kind of workout: events.options lists them")
        }
        workout = details.workout
        guard Self.durationSeconds.contains(details.duration) else {
            throw RPCError.invalid("details.duration", "must be 5 minutes to 14 days, in seconds")
        }
        startsAt = details.startsAt
        endsAt = details.startsAt.advanced(bySeconds: details.duration)
        guard endsAt > now else { throw RPCError.invalid("details.startsAt", "is over: give a time to come") }
        guard startsAt.seconds(since: now) <= Self.aheadDaysMax * 86_400 else {
            throw RPCError.invalid("details.startsAt", "must be within two years")
        }
        place = try Self.name(details.place.name, "details.place.name")
        position = try Self.position(details.place)
        if let capacity = details.capacity, !(1...Self.capacityMax).contains(capacity) {
            throw RPCError.invalid("details.capacity", "must be 1 to \(Self.capacityMax), or nothing for no limit")
        }
        capacity = details.capacity
    }

    /// Whether an event already has these details.
    func matches(_ details: EventDetails) -> Bool {
        title == details.title && description == details.description && workout == details.workout
            && startsAt == details.startsAt && endsAt == details.startsAt.advanced(bySeconds: details.duration)
            && place == details.place.name && position?.latitude == details.place.lat
            && position?.longitude == details.place.lon && capacity == details.capacity
    }

    private static func name(_ text: String, _ field: String) throws -> String {
        try Inputs.name(
            Inputs.composed(text, charactersMax: titleCharactersMax), field, charactersMax: titleCharactersMax)
    }

    private static func position(_ place: EventPlace) throws -> LatLon? {
        switch (place.lat, place.lon) {
        case (nil, nil): return nil
        case (let lat?, let lon?):
            guard lat.isFinite, lon.isFinite, abs(lat) <= 90, abs(lon) <= 180 else {
                throw RPCError.invalid("details.place.lat", "and lon must be degrees on the earth")
            }
            return LatLon(lat, lon)
        default: throw RPCError.invalid("details.place", "has lat and lon, or none of them")
        }
    }
}
