/// A range of numbers on the wire, with a name in the Protocol article.
///
/// Decoding checks the range, so that no service receives a number that it cannot increment, multiply by a thousand or store.
public protocol WireRange: Sendable {
    /// Type of the numbers.
    associatedtype Number: WireNumber
    /// Accepted numbers.
    static var allowed: ClosedRange<Number> { get }
}

/// A number type of the wire's parameters.
public protocol WireNumber: Comparable, Numeric, Hashable, Codable, Sendable {
    /// The number as it is stored, and as an error prints it.
    var normalised: Self { get }
    /// Text of a bound for errors.
    static func text(_ bound: Self) -> String
    /// Beginning of the range's description in an error.
    static var noun: String { get }
}

extension WireNumber where Self: FixedWidthInteger {
    public var normalised: Self { self }
    public static func text(_ bound: Self) -> String { "\(bound)" }
    public static var noun: String { "a whole number from" }
}

extension Int: WireNumber {}
extension Int64: WireNumber {}

extension Double: WireNumber {
    /// Limit below which magnitudes become zero. It is a thousandth of the smallest unit on the wire, and large enough that PostgreSQL's
    /// `real` and products of two such numbers do not underflow.
    public static let wireMagnitudeMin = 1e-12

    /// The number, or zero for a magnitude below ``wireMagnitudeMin``.
    public var normalised: Double { magnitude < Self.wireMagnitudeMin ? 0 : self }
    /// Text without a fraction if the bound is an integer.
    public static func text(_ bound: Double) -> String { Int64(exactly: bound).map { "\($0)" } ?? "\(bound)" }
    public static var noun: String { "a number from" }
}

/// A number, an optional number or an array of numbers that ``Within`` checks.
public protocol WireNumbers: Hashable, Codable, Sendable {
    /// Type of each number.
    associatedtype Number: WireNumber
    /// Decodes the value and checks each number.
    /// - Throws: `DecodingError` that names the range.
    static func read<Range: WireRange>(_ range: Range.Type, from decoder: any Decoder) throws -> Self
    where Range.Number == Number
}

extension WireNumbers where Self: WireNumber, Number == Self {
    public static func read<Range: WireRange>(_ range: Range.Type, from decoder: any Decoder) throws -> Self
    where Range.Number == Number {
        let container = try decoder.singleValueContainer()
        do {
            let number = try container.decode(Self.self).normalised
            if Range.allowed.contains(number) { return number }
        } catch let error as DecodingError {
            guard case .dataCorrupted = error else { throw error }
        } catch {
            // Foundation's error for a fraction or an overflow does not name the member; the error below does.
        }
        let (low, high) = (text(Range.allowed.lowerBound), text(Range.allowed.upperBound))
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "must be \(noun) \(low) to \(high)")
    }
}

extension Int: WireNumbers {
    public typealias Number = Int
}
extension Int64: WireNumbers {
    public typealias Number = Int64
}
extension Double: WireNumbers {
    public typealias Number = Double
}

extension Array: WireNumbers where Element: WireNumbers {
    public typealias Number = Element.Number
    /// Decodes the array; an error names the index.
    public static func read<Range: WireRange>(_ range: Range.Type, from decoder: any Decoder) throws -> [Element]
    where Range.Number == Number {
        try [Within<Range, Element>](from: decoder).map(\.wrappedValue)
    }
}

extension Optional: WireNumbers where Wrapped: WireNumbers {
    public typealias Number = Wrapped.Number
    /// Decodes null as nil.
    public static func read<Range: WireRange>(_ range: Range.Type, from decoder: any Decoder) throws -> Wrapped?
    where Range.Number == Number {
        if try decoder.singleValueContainer().decodeNil() { return nil }
        return try Wrapped.read(range, from: decoder)
    }
}

/// A member whose numbers are checked against a range when decoded, such as `@ObjectID var event: Int64`.
///
/// The wrapped value remains a plain number, optional or array. Assignment in Swift does not check it: the range protects the server
/// from received messages, while clients and tests may construct any value.
@propertyWrapper
public struct Within<Range: WireRange, Value: WireNumbers>: Codable, Hashable, Sendable
where Value.Number == Range.Number {
    public var wrappedValue: Value

    /// - Parameter wrappedValue: The numbers, unchecked.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    /// Decodes and checks the numbers.
    public init(from decoder: any Decoder) throws { wrappedValue = try Value.read(Range.self, from: decoder) }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension Within: CustomStringConvertible {
    public var description: String { "\(wrappedValue)" }
}

extension KeyedDecodingContainer {
    /// Decodes an optional member, which may be missing. The code that the compiler synthesises for `Codable` calls this function.
    public func decode<Range, Wrapped>(
        _ type: Within<Range, Wrapped?>.Type, forKey key: Key
    ) throws -> Within<Range, Wrapped?> {
        Within(wrappedValue: try decodeIfPresent(Within<Range, Wrapped>.self, forKey: key)?.wrappedValue)
    }
}

extension KeyedEncodingContainer {
    /// Omits a member that is nil.
    public mutating func encode<Range, Wrapped>(_ value: Within<Range, Wrapped?>, forKey key: Key) throws {
        try encodeIfPresent(value.wrappedValue, forKey: key)
    }
}

/// Properties of a ``Within`` that the method catalogue reads without knowing its generic parameters.
public protocol WithinRange: Decodable {
    /// The wrapped type.
    static var wrappedType: any Decodable.Type { get }
    /// Name of the range, such as `ObjectID`.
    static var rangeName: String { get }
    /// Bounds as the Protocol article writes them.
    static var bounds: (low: String, high: String) { get }
    /// An example value: zero, or for a range without zero its last number, which no object has; an empty array for arrays.
    static var example: Self? { get }
}

extension Within: WithinRange {
    public static var wrappedType: any Decodable.Type { Value.self }
    public static var rangeName: String { "\(Range.self)".replacing("Range", with: "") }
    public static var bounds: (low: String, high: String) {
        (Value.Number.text(Range.allowed.lowerBound), Value.Number.text(Range.allowed.upperBound))
    }
    public static var example: Self? {
        let number = Range.allowed.contains(.zero) ? .zero : Range.allowed.upperBound
        return ((number as? Value) ?? ([] as? Value)).map(Self.init(wrappedValue:))
    }
}
