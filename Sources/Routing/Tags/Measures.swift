import Foundation

/// Lengths in tags.
enum Metres {
    /// Parses metres: `1.5`, `1,5`, `1.5 m`.
    /// - Returns: Nil for other texts and numbers above 1,000.
    static func parse(_ text: String?) -> Double? {
        guard let text,
            let match = text.replacing(",", with: ".").wholeMatch(of: /\s*([0-9]{1,4}(?:\.[0-9]{1,6})?)\s*m?\s*/),
            let value = Double(match.1), value <= 1000
        else { return nil }
        return value
    }
}

/// The `incline` of a way, in the direction of its nodes.
struct Incline: Equatable {
    /// Maximum slope that counts as known, as a fraction.
    static let slopeMax = 0.6

    /// Height by length; nil if only the direction is known, or nothing.
    let slope: Double?
    /// Whether the way leads up in the direction of its nodes; nil if unknown.
    let isUp: Bool?

    /// - Returns: Nil without the tag. A text that is no incline has neither slope nor direction.
    init?(_ text: String?) {
        guard let text else { return nil }
        switch text {
        case "up": (slope, isUp) = (nil, true)
        case "down": (slope, isUp) = (nil, false)
        default:
            let slope = Self.slope(text)
            (self.slope, isUp) = (slope, slope.flatMap { $0 == 0 ? nil : $0 > 0 })
        }
    }

    /// Parses per cent (`-4%`, `4.5 %`) and degrees (`5°`).
    private static func slope(_ text: String) -> Double? {
        guard
            let match = text.replacing(",", with: ".").wholeMatch(
                of: /\s*([+-]?[0-9]{1,3}(?:\.[0-9]{1,6})?)\s*(%|°)\s*/),
            let number = Double(match.1)
        else { return nil }
        let slope = match.2 == "%" ? number / 100 : tan(number * .pi / 180)
        return abs(slope) <= slopeMax ? slope : nil
    }
}
