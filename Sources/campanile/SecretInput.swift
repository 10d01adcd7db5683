import CommandSupport
import Foundation

/// Reads secrets from environment variables or files. Options cannot contain secrets, because every user of the machine can read the
/// command lines of all processes.
enum SecretInput {
    /// Highest number of bytes of a secret file.
    static let bytesMax = 8_192

    /// Value of the variable `name`, or content of the file that the option or the variable `name_FILE` names.
    /// - Throws: ``CommandFailure`` if the file cannot be read.
    static func value(
        _ name: String, file option: String? = nil, _ environment: [String: String]
    ) throws -> String? {
        if option == nil, let value = environment[name] { return value }
        guard let file = option ?? environment["\(name)_FILE"] else { return nil }
        let text = String(decoding: try contents(of: file), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { throw CommandFailure(.usage, "\(file) is empty: it must contain the secret") }
        return text
    }

    static func contents(of file: String) throws -> [UInt8] {
        guard let handle = FileHandle(forReadingAtPath: file), let data = try? handle.read(upToCount: bytesMax) else {
            throw CommandFailure(.usage, "\(file) cannot be read")
        }
        return Array(data)
    }

    /// Options that formerly took a secret, with the variable to use instead.
    private static let options = [
        "--metrics-token": "CAMPANILE_METRICS_TOKEN", "--simulation-key": "CAMPANILE_SIMULATION_KEY",
    ]
    /// Options whose value may contain a password, with the variable to use instead.
    private static let addresses = ["--database-url": "DATABASE_URL"]
    /// Options whose value may hold a password, and the variable to use instead, which no file replaces.
    private static let gateways = ["--text-gateway-url": "CAMPANILE_TEXT_GATEWAY_URL"]

    /// Refuses command lines that contain a secret.
    /// - Throws: ``CommandFailure`` that names the variable to use.
    static func check(_ arguments: [String]) throws {
        for (index, argument) in arguments.enumerated() {
            if argument == "--" { return }
            let parts = argument.split(separator: "=", maxSplits: 1).map { String($0) }
            let name = parts.first ?? ""
            let value = parts.count > 1 ? parts[1] : index + 1 < arguments.count ? arguments[index + 1] : ""
            if let variable = options[name] {
                throw CommandFailure(.usage, "\(name) shows the secret \(advice(variable))")
            }
            if let variable = gateways[name], hasPassword(value) {
                throw CommandFailure(
                    .usage, "\(name) shows a password to every user of this machine: set \(variable) in its place")
            }
            if let variable = addresses[name], hasPassword(value) {
                throw CommandFailure(.usage, "\(name) shows a password \(advice(variable))")
            }
        }
    }

    private static func advice(_ variable: String) -> String {
        "to every user of this machine: set \(variable), or \(variable)_FILE to the name of a file that holds it"
    }

    /// Whether a URL or libpq keywords contain a password.
    private static func hasPassword(_ text: String) -> Bool {
        text.firstMatch(of: /:\/\/[^\/@]*:[^\/]*@/) != nil || text.firstMatch(of: /password\s*=/) != nil
    }
}
