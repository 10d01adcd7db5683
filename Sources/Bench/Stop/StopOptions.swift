/// Options of the stop scenario.
public struct StopOptions: Sendable {
    /// Connections that watch the share, over both nodes.
    public var viewers = 1_000
    /// Other clients that report their positions once per second.
    public var others = 1_000
    /// Number of stops.
    public var stops = 20
    /// Event loops of each server.
    public var loops = 1

    public init() {}
}
