import ArgumentParser
import Campus
import EventLoop
import Foundation
import Postgres
import Server
import Wire

/// Failure of a command, with a message and the exit code of sysexits.h for scripts.
public struct CommandFailure: Error {
    /// Exit codes of sysexits.h.
    public enum Code: Int32, Sendable {
        /// EX_USAGE: wrong arguments.
        case usage = 64
        /// EX_DATAERR: wrong input.
        case dataError = 65
        /// EX_UNAVAILABLE: a required resource is missing or does not answer.
        case unavailable = 69
        /// EX_SOFTWARE: a defect of the program.
        case software = 70
        /// EX_CANTCREAT: a file or port cannot be created or bound.
        case cannotCreate = 73
        /// EX_TEMPFAIL: not finished, try again.
        case tryAgain = 75
    }

    public let code: Code
    /// One line: the fact and what to do.
    public let message: String

    /// Writes the message to standard error, after the program's name.
    func report(program: String) {
        try? FileHandle.standardError.write(contentsOf: Data("\(program): \(message)\n".utf8))
    }

    /// Maps any error of a command to a failure.
    public init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as CampanileServer.PortInUse: self.init(.cannotCreate, "\(error)")
        case let error as CampanileServer.PortUnavailable: self.init(.cannotCreate, "\(error)")
        case let error as SimulationKey.Unusable: self.init(.cannotCreate, "\(error)")
        case let error as ClusterError:
            switch error {
            case .notWritable, .notTraversable, .ownedByAnother, .inUse, .storageFull:
                self.init(.cannotCreate, "\(error)")
            default: self.init(.unavailable, "\(error)")
            }
        case let error as BackupError:
            switch error {
            case .fileExists, .file: self.init(.cannotCreate, "\(error)")
            case .unreadable, .nothingToSave, .notEmpty: self.init(.dataError, "\(error)")
            case .toolsMissing, .failed: self.init(.unavailable, "\(error)")
            }
        case let error as TLSError: self.init(.dataError, "\(error)")
        case let error as PostgresError:
            // Class 22: invalid data, such as a NUL in a name.
            self.init(error.sqlState?.hasPrefix("22") == true ? .dataError : .unavailable, "\(error)")
        case let error as MigrationError: self.init(.unavailable, "\(error)")
        case let error as GeoJSONError: self.init(.dataError, "\(error)")
        case let error as OSMImportError: self.init(.dataError, "\(error)")
        case let error as RPCError: self.init(.dataError, error.message)
        case let error as any CustomStringConvertible & Error: self.init(.unavailable, "\(error)")
        default: self.init(.software, "\(error)")
        }
    }

    /// Failure for a command line that could not be parsed: one line with a reference to the help.
    /// - Parameters:
    ///   - message: The error.
    ///   - whole: The error with the usage and the command whose help to consult.
    ///   - program: Name of the program.
    init(parsing message: String, whole: String, program: String) {
        let command = whole.firstMatch(of: /See '(.+) --help'/).map { String($0.1) } ?? program
        let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        self.init(.usage, "\(line.hasSuffix(".") ? String(line.dropLast()) : line); see \(command) --help")
    }

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
