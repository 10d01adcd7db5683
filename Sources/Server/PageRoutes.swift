import Foundation

/// Paths of the web app's pages, as the generated `routes.json` lists them. All pages are the same document, which displays the page of
/// its path.
struct PageRoutes: Sendable {
    /// Name of the file in the web app's directory. `deploy/web` writes it.
    static let fileName = "routes.json"

    /// Segments of each path; nil stands for a parameter such as `:id`.
    private let patterns: [[String?]]
    private let segmentsMax: Int

    /// Reads the paths.
    /// - Throws: ``StaticFiles/MissingFiles`` with what is wrong with the file, and what to do.
    init(contentsOf file: URL) throws {
        guard let data = FileManager.default.contents(atPath: file.path) else {
            throw StaticFiles.MissingFiles(
                description: "the paths of the web app's pages were not found at \(file.path): set CAMPANILE_RESOURCES")
        }
        guard let paths = try? JSONDecoder().decode([String].self, from: data), !paths.isEmpty,
            paths.allSatisfy({ $0.hasPrefix("/") })
        else {
            throw StaticFiles.MissingFiles(
                description: "\(file.path) is no list of paths such as \"/events/:id\": run deploy/web --routes")
        }
        // The start page is a file of its own.
        patterns = paths.filter { $0 != "/" }.map { path in
            path.split(separator: "/").map { $0.hasPrefix(":") ? nil : String($0) }
        }
        segmentsMax = patterns.map(\.count).max() ?? 0
    }

    /// Whether a page has this path; one slash at its end does not count.
    func contains(_ path: String) -> Bool {
        // One split more than a page has, so that a long path costs no more.
        var segments = path.split(separator: "/", maxSplits: segmentsMax + 1, omittingEmptySubsequences: false)
        guard segments.first == "" else { return false }
        segments.removeFirst()
        if segments.count > 1, segments.last == "" { segments.removeLast() }
        return patterns.contains { pattern in
            pattern.count == segments.count
                && zip(pattern, segments).allSatisfy { part, segment in part.map { $0 == segment } ?? !segment.isEmpty }
        }
    }
}
