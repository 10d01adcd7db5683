import Wire

/// Kinds of workouts: the training styles of buddy profiles, with the colours of C-4.
enum EventWorkouts {
    /// Colours in the order of the styles. Each has a contrast of at least 4.5 to 1 with white (WCAG 2.2 §1.4.3), for white text on it.
    private static let colours = [
        "#334155", "#92400e", "#b91c1c", "#a21caf", "#c2410c", "#0f766e", "#0369a1", "#7e22ce", "#be185d", "#1e3a8a",
        "#4d7c0f",
        "#15803d",
    ]

    static let all: [EventsOptions.Workout] = zip(BuddyCatalogue.styles.options, colours).map {
        EventsOptions.Workout(id: $0.id, label: $0.label, colour: $1)
    }

    static let ids = Set(all.map(\.id))
}
