import Foundation

/// Durations for people: short, and precise enough to be distinguishable.
enum ShortSeconds {
    private static let digitsMax = 3

    /// Two durations with the fewest decimals that show at least two figures of the smaller one and a difference.
    static func pair(_ one: Double, _ other: Double) -> (String, String) {
        let smaller = min(one, other)
        let digits = smaller > 0 ? max(0, 1 - Int(log10(smaller).rounded(.down))) : 0
        for digits in min(digits, digitsMax)..<digitsMax {
            let (first, second) = (text(one, digits), text(other, digits))
            if first != second { return (first, second) }
        }
        return (text(one, digitsMax), text(other, digitsMax))
    }

    private static func text(_ seconds: Double, _ digits: Int) -> String {
        let text = fixed(seconds, digits)
        guard text.contains(".") else { return text }
        return String(text.reversed().drop { $0 == "0" }.drop { $0 == "." }.reversed())
    }
}
