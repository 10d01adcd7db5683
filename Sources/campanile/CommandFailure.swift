import ArgumentParser
import Campus
import EventLoop
import Foundation
import Postgres
import Server
import Wire

/// Why a command ended without its work done, and the exit code that says so to a script (sysexits.h).
struct CommandFailure: Error {
    enum Code: Int32 {
        case usage = 64
        case dataError = 65
        case unavailable = 69
        case software = 70
        case cannotCreate = 73
        case tryAgain = 75
    }

    let code: Code
    let message: String

    func report() {
        try? FileHandle.standardError.write(contentsOf: Data("campanile: \(message)\n".utf8))
    }

    /// Any error a command meets, told in one line.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as CampanileServer.PortInUse: self.init(.cannotCreate, "\(error)")
        case let error as CampanileServer.NoPort: self.init(.cannotCreate, "\(error)")
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
            // Class 22: the data is at fault, such as a NUL in a name.
            self.init(error.sqlState?.hasPrefix("22") == true ? .dataError : .unavailable, "\(error)")
        case let error as MigrationError: self.init(.unavailable, "\(error)")
        case let error as GeoJSONError: self.init(.dataError, "\(error)")
        case let error as OSMImportError: self.init(.dataError, "\(error)")
        case let error as RPCError: self.init(.dataError, error.message)
        case let error as any CustomStringConvertible & Error: self.init(.unavailable, "\(error)")
        default: self.init(.software, "\(error)")
        }
    }

    /// Words that could not be understood, in one line with where to read on.
    /// - Parameters:
    ///   - message: What is wrong.
    ///   - whole: The same, the usage, and the command whose help tells more.
    init(parsing message: String, whole: String) {
        let command = whole.firstMatch(of: /See '(.+) --help'/).map { String($0.1) } ?? "campanile"
        let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        self.init(.usage, "\(line.hasSuffix(".") ? String(line.dropLast()) : line); see \(command) --help")
    }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
