import Foundation
import Postgres

/// Key of the operator for creating simulated accounts.
public enum SimulationKey {
    /// File in the data directory, mode 0600.
    public static let fileName = "simulation.key"

    /// Error for a key that could not be read or created.
    public struct Unusable: Error, CustomStringConvertible {
        let path: String
        let reason: String
        /// One fact and what to do.
        public var description: String { "\(path): \(reason): make the data directory writable for this user" }
    }

    /// Reads the key, or creates one on first use.
    /// - Throws: ``Unusable``.
    public static func readOrMake(in directory: String) throws -> String {
        let path = directory + "/" + fileName
        if let key = read(in: directory) { return key }
        var generator = SystemRandomNumberGenerator()
        let key = (0..<4).map { _ in String(generator.next(), radix: 36) }.joined(separator: "-")
        do {
            try DataDirectory.make(directory)
        } catch {
            throw Unusable(path: directory, reason: "the data directory cannot be made")
        }
        // O_EXCL and mode 0600 from creation on: no other user can open the file at any time.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Unusable(path: path, reason: String(cString: strerror(errno)).lowercased())
        }
        defer { close(descriptor) }
        let bytes = Array((key + "\n").utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else {
            throw Unusable(path: path, reason: "the key cannot be written")
        }
        return key
    }

    /// Key of a data directory; nil if there is none or it cannot be read.
    public static func read(in directory: String) -> String? {
        guard let data = FileManager.default.contents(atPath: directory + "/" + fileName) else { return nil }
        let key = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return key.isEmpty ? nil : key
    }
}
