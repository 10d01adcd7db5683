import Foundation

/// The files of the checkout that this test was built from.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    struct File: Sendable {
        /// Below the root, such as `Sources/Hub/Topic.swift`.
        let path: String
        let lines: [Substring]
        let text: String

        /// The name of the room: the folder below `Sources` or `Tests`.
        var room: Substring { path.split(separator: "/").dropFirst().first ?? "" }
    }

    /// All files below a folder of the root with one of these extensions. Build folders are left out.
    static func files(below folder: String, _ extensions: Set<String>) throws -> [File] {
        let directory = folder.isEmpty ? root : root.appendingPathComponent(folder)
        guard let found = FileManager.default.enumerator(atPath: directory.path) else { return [] }
        return try found.compactMap { item -> File? in
            guard let name = item as? String, extensions.contains((name as NSString).pathExtension),
                !name.split(separator: "/").contains(where: { $0.hasPrefix(".build") })
            else { return nil }
            let text = try String(contentsOf: directory.appendingPathComponent(name), encoding: .utf8)
            return File(
                path: folder.isEmpty ? name : "\(folder)/\(name)",
                lines: text.split(separator: "\n", omittingEmptySubsequences: false), text: text)
        }.sorted { $0.path < $1.path }
    }

    static let sources = Result { try files(below: "Sources", ["swift"]) }
    static let tests = Result { try files(below: "Tests", ["swift"]) }

    /// The articles, and the documents at the top of the checkout, but for the changelog, which speaks of names that are gone.
    static let documents = Result {
        try files(below: "Sources/campanile/Documentation.docc", ["md"])
            + ["README.md", "CONTRIBUTING.md"].map { name in
                let text = try String(contentsOf: root.appendingPathComponent(name), encoding: .utf8)
                return File(
                    path: name, lines: text.split(separator: "\n", omittingEmptySubsequences: false), text: text)
            }
    }
}
