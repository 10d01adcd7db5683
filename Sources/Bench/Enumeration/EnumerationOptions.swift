/// Options of the enumeration scenario.
public struct EnumerationOptions: Sendable {
    /// Addresses with an account; as many without one.
    public var addresses = 100

    public init() {}
}
