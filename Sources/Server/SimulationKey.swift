import Foundation
import Postgres

/// The operator's key: whoever can read it may make accounts for samples and recordings.
public enum SimulationKey {
    /// Its file in the data directory, mode 0600.
    public static let fileName = "simulation.key"

    /// The key could not be read or made.
    public struct Unusable: Error, CustomStringConvertible {
        let path: String
        let reason: String
        /// One plain fact and what to do.
        public var description: String { "\(path): \(reason): make the data directory writable for this user" }
    }

    /// Reads the key, or makes one on first use.
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
        // O_EXCL and 0600 from the start: nobody reads it before it is closed to them.
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

    /// The key of a data directory; nil when there is none, or it cannot be read.
    public static func read(in directory: String) -> String? {
        guard let data = FileManager.default.contents(atPath: directory + "/" + fileName) else { return nil }
        let key = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return key.isEmpty ? nil : key
    }
}
