import Logging

/// Log levels: one for all areas, and others for single areas, such as `notice,tls=debug,postgres=info`.
///
/// An area is the part of a logger's label after `campanile.`.
public struct LogLevels: Sendable, Equatable {
    /// Areas that a setting can name.
    public static let areas = [
        "cluster", "listener", "loop", "migrations", "postgres", "server", "tls", "tracking",
    ]

    /// Level of areas without their own.
    public var standard: Logger.Level = .notice
    /// Levels by area.
    public var byArea: [String: Logger.Level] = [:]

    /// `notice` for everything.
    public init() {}

    /// Error for an invalid setting.
    public struct Invalid: Error, CustomStringConvertible {
        /// One fact and what to do.
        public let description: String
    }

    /// Parses a level and any number of `area=level`, separated by commas.
    /// - Throws: ``Invalid`` for an unknown level or area, because an ineffective setting would be noticed too late.
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

    /// Level for a logger with this label.
    public func level(for label: String) -> Logger.Level { byArea[LogLine.area(of: label)] ?? standard }
}
