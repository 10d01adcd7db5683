/// Delays between attempts.
enum Backoff {
    /// Seconds until the next attempt: doubled for each further attempt up to a maximum, with a jitter of ±50 %.
    /// - Parameters:
    ///   - attempts: Number of attempts so far.
    ///   - first: Seconds after the first attempt.
    ///   - max: Largest number of seconds before the jitter.
    static func seconds(
        attempts: Int64, first: Double, max most: Double, random: Double = .random(in: 0.5...1.5)
    ) -> Double {
        min(first * Double(1 << min(max(attempts - 1, 0), 16)), most) * random
    }
}
