/// A range of numbers on the wire, with a name that the Protocol article lists.
///
/// The bounds hold at decoding, so no service receives a number that it cannot add to, multiply by a thousand or store.
public protocol WireRange: Sendable {
    /// The type of the numbers.
    associatedtype Number: WireNumber
    /// The numbers that are accepted.
    static var allowed: ClosedRange<Number> { get }
}

/// A number type of the wire's parameters.
public protocol WireNumber: Comparable, Numeric, Hashable, Codable, Sendable {
    /// The number as it is kept, and as an error writes it.
    var normalised: Self { get }
    /// The bounds of a range, for people.
    static func text(_ bound: Self) -> String
    /// What the number is called in an error.
    static var noun: String { get }
}

extension WireNumber where Self: FixedWidthInteger {
    /// The number itself.
    public var normalised: Self { self }
    /// Decimal digits.
    public static func text(_ bound: Self) -> String { "\(bound)" }
    /// In an error.
    public static var noun: String { "a whole number from" }
}

extension Int: WireNumber {}
extension Int64: WireNumber {}

extension Double: WireNumber {
    /// Magnitudes below it are zero: a thousandth of the smallest unit on the wire, and large enough that PostgreSQL's `real`
    /// and products of two such numbers do not underflow.
    public static let wireMagnitudeMin = 1e-12

    /// Zero in place of a magnitude below ``wireMagnitudeMin``.
    public var normalised: Double { magnitude < Self.wireMagnitudeMin ? 0 : self }
    /// Without a fraction where there is none.
    public static func text(_ bound: Double) -> String { Int64(exactly: bound).map { "\($0)" } ?? "\(bound)" }
    /// In an error.
    public static var noun: String { "a number from" }
}

/// A number, an optional number or an array of numbers that ``Within`` checks.
public protocol WireNumbers: Hashable, Codable, Sendable {
    /// The type of each number.
    associatedtype Number: WireNumber
    /// Reads the value and checks each number.
    /// - Throws: `DecodingError` that names the range.
    static func read<Range: WireRange>(_ range: Range.Type, from decoder: any Decoder) throws -> Self
    where Range.Number == Number
}

extension WireNumbers where Self: WireNumber, Number == Self {
    /// Reads one number.
    public static func read<Range: WireRange>(_ range: Range.Type, from decoder: any Decoder) throws -> Self
    where Range.Number == Number {
        let container = try decoder.singleValueContainer()
        do {
            let number = try container.decode(Self.self).normalised
            if Range.allowed.contains(number) { return number }
        } catch let error as DecodingError {
            guard case .dataCorrupted = error else { throw error }
        } catch {
            // A fraction, or beyond what the type holds: Foundation throws an error of its own, which names no member.
        }
        let (low, high) = (text(Range.allowed.lowerBound), text(Range.allowed.upperBound))
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "must be \(noun) \(low) to \(high)")
    }
}

extension Int: WireNumbers {
    /// Itself.
    public typealias Number = Int
}
extension Int64: WireNumbers {
    /// Itself.
    public typealias Number = Int64
}
extension Double: WireNumbers {
    /// Itself.
    public typealias Number = Double
}

extension Array: WireNumbers where Element: WireNumbers {
    /// Of each element.
    public typealias Number = Element.Number
    /// Reads the array; an error names the index.
    public static func read<Range: WireRange>(_ range: Range.Type, from decoder: any Decoder) throws -> [Element]
    where Range.Number == Number {
        try [Within<Range, Element>](from: decoder).map(\.wrappedValue)
    }
}

extension Optional: WireNumbers where Wrapped: WireNumbers {
    /// Of the value.
    public typealias Number = Wrapped.Number
    /// Reads null as nil.
    public static func read<Range: WireRange>(_ range: Range.Type, from decoder: any Decoder) throws -> Wrapped?
    where Range.Number == Number {
        if try decoder.singleValueContainer().decodeNil() { return nil }
        return try Wrapped.read(range, from: decoder)
    }
}

/// A member whose numbers are within a range at decoding: `@ObjectID var event: Int64`.
///
/// The wrapped value stays a plain number, optional or array. Assignment in Swift does not check it: the range protects the
/// server from what it receives, and clients and tests build what they like.
@propertyWrapper
public struct Within<Range: WireRange, Value: WireNumbers>: Codable, Hashable, Sendable
where Value.Number == Range.Number {
    /// The numbers.
    public var wrappedValue: Value

    /// - Parameter wrappedValue: The numbers, unchecked.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    /// Reads and checks the wire form.
    public init(from decoder: any Decoder) throws { wrappedValue = try Value.read(Range.self, from: decoder) }

    /// Writes the numbers as they are.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension Within: CustomStringConvertible {
    /// As the wrapped value.
    public var description: String { "\(wrappedValue)" }
}

extension KeyedDecodingContainer {
    /// Reads an optional member, which may be missing; the compiler's code for `Codable` finds this function.
    public func decode<Range, Wrapped>(
        _ type: Within<Range, Wrapped?>.Type, forKey key: Key
    ) throws -> Within<Range, Wrapped?> {
        Within(wrappedValue: try decodeIfPresent(Within<Range, Wrapped>.self, forKey: key)?.wrappedValue)
    }
}

extension KeyedEncodingContainer {
    /// Leaves a member that is nil out.
    public mutating func encode<Range, Wrapped>(_ value: Within<Range, Wrapped?>, forKey key: Key) throws {
        try encodeIfPresent(value.wrappedValue, forKey: key)
    }
}

/// What a catalogue reads of a ``Within`` without knowing its parameters.
public protocol WithinRange: Decodable {
    /// The type that is wrapped.
    static var wrappedType: any Decodable.Type { get }
    /// The bounds as the Protocol article writes them.
    static var bounds: (low: String, high: String) { get }
    /// Zero, or the last number of a range without it, which no object has; an empty array.
    static var example: Self? { get }
}

extension Within: WithinRange {
    /// The type that is wrapped.
    public static var wrappedType: any Decodable.Type { Value.self }
    /// The bounds as the Protocol article writes them.
    public static var bounds: (low: String, high: String) {
        (Value.Number.text(Range.allowed.lowerBound), Value.Number.text(Range.allowed.upperBound))
    }
    /// Zero, or the last number of a range without it, which no object has; an empty array.
    public static var example: Self? {
        let number = Range.allowed.contains(.zero) ? .zero : Range.allowed.upperBound
        return ((number as? Value) ?? ([] as? Value)).map(Self.init(wrappedValue:))
    }
}
