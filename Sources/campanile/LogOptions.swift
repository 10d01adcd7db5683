import ArgumentParser
import CommandSupport
import Logging
import Server

/// Options of the log. The log is set up before the command line is parsed, because a logging system can be set only once and parsing may
/// log. The declarations serve the help and the validation of the values.
struct LogOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Log levels, such as notice,postgres=debug (CAMPANILE_LOG_LEVEL). Default: notice",
            discussion: "Levels: trace, debug, info, notice, warning, error, critical. Areas: "
                + LogLevels.areas.joined(separator: ", ") + ".", valueName: "levels"))
    var logLevel: String?

    @Option(
        help: ArgumentHelp(
            "text or json, one line per event (CAMPANILE_LOG_FORMAT). Default: text", valueName: "format")
    )
    var logFormat: String?

    /// Sets up the logging system from the command line's arguments and the environment.
    /// - Throws: ``CommandFailure`` for an invalid value.
    static func bootstrap(_ arguments: [String]) throws {
        let environment = DataOptions.environment
        let levels: LogLevels
        do {
            levels =
                try (value("--log-level", arguments) ?? environment["CAMPANILE_LOG_LEVEL"]).map(LogLevels.init)
                ?? LogLevels()
        } catch let error as LogLevels.Invalid {
            throw CommandFailure(.usage, "--log-level (CAMPANILE_LOG_LEVEL): \(error.description)")
        }
        let name = value("--log-format", arguments) ?? environment["CAMPANILE_LOG_FORMAT"] ?? "text"
        guard let format = LogFormat(rawValue: name) else {
            throw CommandFailure(.usage, "--log-format (CAMPANILE_LOG_FORMAT) must be text or json")
        }
        LoggingSystem.bootstrap { LineLogHandler(label: $0, level: levels.level(for: $0), format: format) }
    }

    private static func value(_ flag: String, _ arguments: [String]) -> String? {
        for (index, argument) in arguments.enumerated() {
            if argument == "--" { return nil }
            if argument.hasPrefix(flag + "=") { return String(argument.dropFirst(flag.count + 1)) }
            if argument == flag { return index + 1 < arguments.count ? arguments[index + 1] : nil }
        }
        return nil
    }
}
