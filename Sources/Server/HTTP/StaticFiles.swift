import Foundation
import WebSocket

/// Files of the web app, read and compressed once at the start. They are small, and serving them never waits for a disk.
struct StaticFiles: Sendable {
    /// Highest number of bytes of one file.
    static let fileBytesMax = 8 * 1_048_576
    /// Paths of the web app's pages. All are the same document, which displays the page of its path.
    static let pagePrefixes = [
        "/map", "/track", "/history", "/login", "/register", "/account", "/s", "/l", "/buddies", "/chats", "/events",
        "/reports", "/welcome", "/admin", "/notices", "/settings", "/sharing",
    ]

    private var files: [String: Resource] = [:]

    /// Reads the web app, and Leaflet from Debian's directory.
    /// - Throws: ``MissingFiles`` with what to do.
    init(webApp: URL, leaflet: URL) throws {
        try read(webApp, at: "/app/")
        guard let index = files["/app/index.html"] else {
            throw MissingFiles(description: "the web app was not found at \(webApp.path): set CAMPANILE_RESOURCES")
        }
        files["/"] = index
        for (path, name) in [("/sw.js", "sw.js"), ("/manifest.webmanifest", "manifest.webmanifest")] {
            files[path] = files["/app/" + name]
        }
        try read(leaflet, at: "/lib/leaflet/")
        guard files["/lib/leaflet/leaflet.js"] != nil else {
            throw MissingFiles(
                description: "Leaflet was not found at \(leaflet.path): install it with apt-get install libjs-leaflet")
        }
    }

    /// Error for a missing file that the server needs.
    struct MissingFiles: Error, CustomStringConvertible {
        let description: String
    }

    func file(at path: String) -> Resource? {
        if let file = files[path] { return file }
        let isPage = Self.pagePrefixes.contains { path == $0 || path.hasPrefix($0 + "/") }
        return isPage ? files["/"] : nil
    }

    private mutating func read(_ directory: URL, at prefix: String) throws {
        let root = directory.resolvingSymlinksInPath().path
        guard let paths = FileManager.default.enumerator(atPath: root) else { return }
        for case let path as String in paths {
            let full = root + "/" + path
            guard let type = Self.types[(path as NSString).pathExtension],
                let data = FileManager.default.contents(atPath: full), data.count <= Self.fileBytesMax
            else { continue }
            files[prefix + path] = Resource(
                Array(data), contentType: type, modified: Self.modified(full))
        }
    }

    private static func modified(_ path: String) -> HTTPDate? {
        let date = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        // RFC 9110 §8.8.2.1: "An origin server […] MUST NOT generate a Last-Modified date that is later than the server's
        // time".
        return date.map { HTTPDate(seconds: min(Int64($0.timeIntervalSince1970), Int64(time(nil)))) }
    }

    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "svg": "image/svg+xml", "png": "image/png", "webmanifest": "application/manifest+json",
        "json": "application/json", "ico": "image/x-icon", "woff2": "font/woff2",
    ]
}
