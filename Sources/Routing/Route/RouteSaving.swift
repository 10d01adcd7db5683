/// The saving for which a walker leaves the present route because of the crowd.
///
/// Everybody sees the same heatmap. If each small advantage changed routes, a whole crowd would change over to the emptier path, and
/// back again with the next heatmap. A closed route is left at once; this is for routes that only became slower.
public enum RouteSaving {
    /// Minimum saving, in milliseconds.
    public static let millisecondsMin: Int64 = 30_000
    /// Minimum saving in percent of the present cost.
    public static let percentMin: Int64 = 15

    /// Whether a walker should change.
    /// - Parameters:
    ///   - present: The cost of the rest of the walker's route (``Route/cost(in:after:)``).
    ///   - better: The cost of the best route from the same point, with the same weights.
    public static func pays(from present: Int64, to better: Int64) -> Bool {
        let saved = present - better
        return saved >= millisecondsMin && saved * 100 >= present * percentMin
    }
}
