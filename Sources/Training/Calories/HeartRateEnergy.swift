/// Energy by heart rate without a test of fitness (Keytel et al., J Sports Sci 23:289, 2005).
enum HeartRateEnergy {
    /// Bounds of the study: adults of 18 to 45 years at 57 to 90 % of their maximum. Older adults are admitted to 65 with the same error.
    static let ages = 18...65
    static let kilograms = 40.0...130.0
    static let bpm = 90.0...180.0
    static let kilojoulesPerKilocalorie = 4.184

    /// Kilocalories a minute.
    static func kilocaloriesPerMinute(bpm: Double, kilograms: Double, age: Int, isMale: Bool) -> Double {
        let kilojoules =
            isMale
            ? -55.0969 + 0.6309 * bpm + 0.1988 * kilograms + 0.2017 * Double(age)
            : -20.4022 + 0.4472 * bpm - 0.1263 * kilograms + 0.074 * Double(age)
        return max(0, kilojoules / kilojoulesPerKilocalorie)
    }
}
