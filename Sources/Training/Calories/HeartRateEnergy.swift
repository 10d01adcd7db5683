import Wire

/// Energy by heart rate without a test of fitness (Keytel et al., J Sports Sci 23:289, 2005).
enum HeartRateEnergy {
    /// Bounds of the study: adults of 18 to 45 years and 47 to 120 kg.
    static let ages = 18...45
    static let kilograms = 47.0...120.0
    /// Types of training that are steady, as running and cycling in the study were. During lifting the heart beats faster than its oxygen
    /// explains.
    static let types: Set<ExerciseType> = [.cardio, .swimming]
    /// Mean heart rates a minute for which the equation is used.
    static let bpm = 90.0...180.0
    /// The same as a part of the highest heart rate: the study was done at 57, 77 and 90 % of it.
    static let effort = 0.57...0.9
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
