/// A committed publication of a reliable topic, with its final offset.
public struct StoredPublication: Sendable, Equatable {
    /// From 1, without gaps within an epoch.
    public let offset: Int64
    /// The data for subscribers: one JSON value.
    public let data: [UInt8]

    public init(offset: Int64, data: [UInt8]) {
        self.offset = offset
        self.data = data
    }
}
