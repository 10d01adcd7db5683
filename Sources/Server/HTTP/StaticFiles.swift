import Foundation
import WebSocket

/// Files of the web app, read once at the start. They are small, and serving them never waits for a disk.
///
/// A release serves the bundle that `deploy/web` makes: its files have compressed forms beside them, and names with a hash in the folder
/// `bundle`. Plain sources are compressed at the start.
package struct StaticFiles: Sendable {
    /// Folder of files whose names change with their content, so that clients never ask for them again (RFC 8246).
    static let immutableFolder = "bundle/"
    /// Highest number of bytes of one file.
    static let fileBytesMax = 8 * 1_048_576

    /// Paths at which a file is served as well, with its name in the web app.
    private static let otherPaths = [
        "/sw.js": "sw.js", "/manifest.webmanifest": "manifest.webmanifest",
        // Former value of `Account.defaultPicture`, which clients may have stored.
        "/app/person.svg": "assets/person.svg",
    ]

    /// Version of the web app, as its document states it: `sources`, or a hash of a bundle's files.
    let version: String
    /// Scripts and styles within the document.
    let inline: InlineSources
    private let pages: PageRoutes
    private var files: [String: Resource] = [:]

    /// Script of Chart.js: the directory of its package has the same in other forms.
    private static let chartsScript = "chart.min.js"

    /// Reads the web app, and Leaflet and Chart.js from Debian's directories.
    /// - Throws: ``MissingFiles`` with what to do.
    init(webApp: URL, leaflet: URL, charts: URL) throws {
        guard let document = FileManager.default.contents(atPath: webApp.appendingPathComponent("index.html").path)
        else { throw Self.noWebApp(at: webApp) }
        let text = String(decoding: document, as: UTF8.self)
        inline = InlineSources(document: text)
        version = Self.version(in: text)
        pages = try PageRoutes(contentsOf: webApp.appendingPathComponent(PageRoutes.fileName))
        // Only sources have no compressed forms, and only a developer serves them.
        try read(webApp, at: "/app/", level: 1)
        guard let index = files["/app/index.html"] else { throw Self.noWebApp(at: webApp) }
        files["/"] = index
        for (path, name) in Self.otherPaths { files[path] = files["/app/" + name] }
        try read(leaflet, at: "/lib/leaflet/")
        guard files["/lib/leaflet/leaflet.js"] != nil else {
            throw MissingFiles(
                description: "Leaflet was not found at \(leaflet.path): install it with apt-get install libjs-leaflet")
        }
        try read(charts, at: "/lib/chart.js/") { $0 == Self.chartsScript }
        guard files["/lib/chart.js/" + Self.chartsScript] != nil else {
            throw MissingFiles(
                description: "Chart.js was not found at \(charts.path): install it with apt-get install libjs-chart.js")
        }
    }

    /// Error for a missing file that the server needs.
    package struct MissingFiles: Error, CustomStringConvertible {
        /// One fact and what to do.
        package let description: String
    }

    func file(at path: String) -> Resource? {
        if let file = files[path] { return file }
        return pages.contains(path) ? files["/"] : nil
    }

    /// The content of `<meta name="campanile-version" content="…">`.
    private static func version(in document: String) -> String {
        guard let start = document.firstRange(of: #"name="campanile-version" content=""#)?.upperBound else {
            return "unknown"
        }
        return String(document[start...].prefix { $0 != "\"" })
    }

    private static func noWebApp(at directory: URL) -> MissingFiles {
        MissingFiles(description: "the web app was not found at \(directory.path): set CAMPANILE_RESOURCES")
    }

    private mutating func read(
        _ directory: URL, at prefix: String, level: Int32 = 9, where isWanted: (String) -> Bool = { _ in true }
    ) throws {
        let root = directory.resolvingSymlinksInPath().path
        guard let paths = FileManager.default.enumerator(atPath: root) else { return }
        for case let path as String in paths where isWanted(path) {
            let full = root + "/" + path
            guard let type = Self.types[(path as NSString).pathExtension],
                let data = FileManager.default.contents(atPath: full), data.count <= Self.fileBytesMax
            else { continue }
            let isImmutable = path.hasPrefix(Self.immutableFolder)
            files[prefix + path] = Self.resource(Array(data), at: full, isImmutable: isImmutable, type, level: level)
        }
    }

    private static func resource(
        _ data: [UInt8], at path: String, isImmutable: Bool, _ type: String, level: Int32
    ) -> Resource {
        let cacheControl = isImmutable ? "public, max-age=31536000, immutable" : "no-cache"
        // Pages load the bundle's files as scripts and stylesheets only; the worker is not among them.
        let needsPolicies = !isImmutable
        // Nobody asks for them again, so a date beside the entity tag is of no use.
        let modified = isImmutable ? nil : modified(path)
        let (gzip, brotli) = (packed(path + ".gz"), packed(path + ".br"))
        guard gzip != nil || brotli != nil else {
            return Resource(
                data, contentType: type, modified: modified, cacheControl: cacheControl,
                needsPolicies: needsPolicies, level: level)
        }
        return Resource(
            data, contentType: type, modified: modified, cacheControl: cacheControl,
            needsPolicies: needsPolicies, gzip: gzip, brotli: brotli)
    }

    private static func packed(_ path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: path).flatMap { $0.count <= fileBytesMax ? Array($0) : nil }
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
