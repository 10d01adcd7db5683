/// A string with a fixed set of values. The error for another string lists the values.
///
/// The standard library's error would name the Swift type and repeat the value.
public protocol WireChoice: RawRepresentable, CaseIterable, Codable, Sendable where RawValue == String {}

extension WireChoice {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = Self(rawValue: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "must be " + Self.allCases.map(\.rawValue).joined(separator: " or "))
        }
        self = value
    }
}
