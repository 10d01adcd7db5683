import Wire

/// Kinds of workouts, the same as people choose from for buddies, with the colours of C-4.
enum EventWorkouts {
    /// In the order of the list; each at least 4.5 to 1 against white (WCAG 2.2 §1.4.3), so that white words can stand on it.
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
