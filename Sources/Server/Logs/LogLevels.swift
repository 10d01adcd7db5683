import Logging

/// What is logged: a level for everything, and others for single areas, such as `notice,tls=debug,postgres=info`.
///
/// An area is the part of a logger's label behind `campanile.`.
public struct LogLevels: Sendable, Equatable {
    /// Areas that can be named.
    public static let areas = [
        "cluster", "listener", "loop", "migrations", "postgres", "server", "tls", "tracking",
    ]

    /// Where no area says otherwise.
    public var standard: Logger.Level = .notice
    /// By area.
    public var byArea: [String: Logger.Level] = [:]

    /// `notice` for everything.
    public init() {}

    /// Why a setting cannot be used.
    public struct Invalid: Error, CustomStringConvertible {
        /// One plain fact and what to do.
        public let description: String
    }

    /// Reads a level and any number of `area=level`, separated by commas.
    /// - Throws: ``Invalid`` for a level or an area that there is none of: a setting that does nothing would be found too late.
    public init(_ text: String) throws {
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", omittingEmptySubsequences: false).map { String($0) }
            guard let name = pair.last, pair.count <= 2, let level = Logger.Level(rawValue: name) else {
                throw Invalid(
                    description:
                        "a log level is one of \(Self.levelNames), or AREA=LEVEL; several are separated by commas")
            }
            if pair.count == 1 {
                standard = level
            } else if Self.areas.contains(pair[0]) {
                byArea[pair[0]] = level
            } else {
                throw Invalid(description: "the areas of the log are \(Self.areas.joined(separator: ", "))")
            }
        }
    }

    private static var levelNames: String { Logger.Level.allCases.map(\.rawValue).joined(separator: ", ") }

    /// The level for a logger with this label.
    public func level(for label: String) -> Logger.Level { byArea[LogLine.area(of: label)] ?? standard }
}
