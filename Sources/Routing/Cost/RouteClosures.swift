import Wire

/// A part of the map that nobody can use: a lift out of order, a locked door, a closed path.
public struct RouteClosure: Sendable, Hashable {
    /// The way, area or node, by its id in the source: `way/12`, `node/7`.
    public var sourceID: String
    /// The start; nil if it has begun.
    public var from: Timestamp?
    /// The end; nil if it is open.
    public var until: Timestamp?

    public init(_ sourceID: String, from: Timestamp? = nil, until: Timestamp? = nil) {
        (self.sourceID, self.from, self.until) = (sourceID, from, until)
    }

    func isActive(at time: Timestamp) -> Bool {
        from.map { $0.milliseconds <= time.milliseconds } ?? true
            && until.map { time.milliseconds < $0.milliseconds } ?? true
    }
}

/// All closures of a campus.
public struct RouteClosures: Sendable, Hashable {
    public var closures: [RouteClosure]

    public init(_ closures: [RouteClosure] = []) { self.closures = closures }

    /// The source ids that are closed at a time.
    public func closed(at time: Timestamp) -> Set<String> {
        Set(closures.filter { $0.isActive(at: time) }.map(\.sourceID))
    }

    /// The next time at which ``closed(at:)`` may change; nil if it stays as it is.
    public func nextChange(after time: Timestamp) -> Timestamp? {
        closures.flatMap { [$0.from, $0.until] }.compactMap { $0 }.filter { $0.milliseconds > time.milliseconds }
            .min { $0.milliseconds < $1.milliseconds }
    }
}
