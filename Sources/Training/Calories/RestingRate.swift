import Wire

/// Resting metabolic rate by the Harris–Benedict equation as Roza and Shizgal revised it (Am J Clin Nutr 40:168, 1984).
enum RestingRate {
    /// Ages and heights for which the rate is used.
    static let ages = 18...90
    static let heights = 120.0...230.0

    /// Kilocalories a day; nil without height, age or sex, and outside the ranges of the equation.
    static func kilocaloriesPerDay(_ body: Body, kilograms: Double) -> Double? {
        guard let height = body.heightCentimetres, heights.contains(height), let age = body.age, ages.contains(age)
        else {
            return nil
        }
        switch body.sex {
        case .male: return 88.362 + 13.397 * kilograms + 4.799 * height - 5.677 * Double(age)
        case .female: return 447.593 + 9.247 * kilograms + 3.098 * height - 4.330 * Double(age)
        case .other, nil: return nil
        }
    }

    /// The same in millilitres of oxygen per kilogram and minute, at 5 kcal per litre.
    static func millilitresPerKilogram(_ body: Body, kilograms: Double) -> Double? {
        kilocaloriesPerDay(body, kilograms: kilograms).map { $0 / 1_440 / 5 / kilograms * 1_000 }
    }
}
