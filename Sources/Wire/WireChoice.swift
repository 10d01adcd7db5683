/// A string that is one of a few: what is none of them is answered with those that are.
///
/// The standard library's own error names our type and repeats the value.
public protocol WireChoice: RawRepresentable, CaseIterable, Codable, Sendable where RawValue == String {}

extension WireChoice {
    /// Reads the wire form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = Self(rawValue: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "must be " + Self.allCases.map(\.rawValue).joined(separator: " or "))
        }
        self = value
    }
}
