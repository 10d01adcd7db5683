import Foundation

/// A level of a building (OpenStreetMap `level`): 0 is the ground floor, 0.5 a mezzanine, -1 the basement.
public struct Level: Sendable, Hashable, Comparable, Codable {
    /// The range of levels, in thousandths: from 200 below ground to 300 above.
    public static let thousandthsRange: ClosedRange<Int32> = -200_000...300_000

    /// The level times 1,000.
    public let thousandths: Int32

    public static let ground = Level(trustedThousandths: 0)

    /// - Returns: Nil outside ``thousandthsRange``.
    public init?(thousandths: Int) {
        guard let value = Int32(exactly: thousandths), Self.thousandthsRange.contains(value) else { return nil }
        self.init(trustedThousandths: value)
    }

    private init(trustedThousandths thousandths: Int32) { self.thousandths = thousandths }

    /// Parses one level: digits with a decimal point or comma, or the name of the ground floor.
    /// - Returns: Nil if the text is no level.
    public init?(_ text: some StringProtocol) {
        let text = text.trimmingCharacters(in: .whitespaces).replacingOccurrences(of: ",", with: ".")
        if Self.groundNames.contains(text.uppercased()) {
            self = .ground
            return
        }
        guard text.wholeMatch(of: /[+-]?[0-9]{1,3}(\.[0-9]{1,3})?/) != nil, let number = Double(text) else {
            return nil
        }
        self.init(thousandths: Int((number * 1000).rounded()))
    }

    /// Names of the ground floor in English and German.
    private static let groundNames: Set = ["G", "GF", "EG"]

    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer().decode(Int.self)
        guard let level = Level(thousandths: value) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "level \(value) is outside \(Self.thousandthsRange)"))
        }
        self = level
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(thousandths)
    }

    public static func < (one: Level, other: Level) -> Bool { one.thousandths < other.thousandths }
}

extension Level: CustomStringConvertible {
    /// The level as the tag writes it: `2`, `0.5`.
    public var description: String {
        let (whole, rest) = abs(thousandths).quotientAndRemainder(dividingBy: 1000)
        let sign = thousandths < 0 ? "-" : ""
        guard rest > 0 else { return "\(sign)\(whole)" }
        let digits = "\(1000 + rest)".dropFirst()
        return "\(sign)\(whole).\(String(digits).replacing(/0+$/, with: ""))"
    }
}

/// The levels of an object by Simple Indoor Tagging: `level` and `repeat_on`.
struct LevelTags: Equatable {
    /// Maximum number of levels of an object. An object with more counts as one without levels.
    static let levelsMax = 100

    /// The levels of `level`, ascending; empty if unknown.
    let own: [Level]
    /// The levels of `repeat_on`, ascending.
    let repeated: [Level]

    init(_ tags: [String: String]) {
        own = Self.levels(tags["level"])
        repeated = Self.levels(tags["repeat_on"])
    }

    /// All levels, ascending.
    var all: [Level] { repeated.isEmpty ? own : Array(Set(own + repeated)).sorted() }

    /// Parses a list such as `0;2`, `-1-3`, `0;4-6`. A range contains its ends and the levels between them in steps of 1.
    /// - Returns: Ascending; empty if a part is no level or there are too many.
    static func levels(_ text: String?) -> [Level] {
        guard let text else { return [] }
        var found: Set<Level> = []
        for part in text.split(separator: ";") {
            if let level = Level(part) {
                found.insert(level)
            } else if let match = part.wholeMatch(of: /\s*([+-]?[^-;]+?)\s*-\s*([+-]?[^-;]+)/),
                let low = Level(match.1),
                let high = Level(match.2)
            {
                let (first, last) = (Int(min(low, high).thousandths), Int(max(low, high).thousandths))
                guard (last - first) / 1000 < levelsMax else { return [] }
                for value in stride(from: first, through: last, by: 1000) + [last] {
                    if let level = Level(thousandths: value) { found.insert(level) }
                }
            } else {
                return []
            }
            guard found.count <= levelsMax else { return [] }
        }
        return found.sorted()
    }
}
