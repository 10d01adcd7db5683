import Foundation

/// Reads a campus from an OpenStreetMap extract with Debian's `osmium` tool.
///
/// The tool makes four passes over the file: `fileinfo` for the bounds, `tags-filter` for all tagged objects (so that
/// the counts match the file), `export` for the geometry, which assembles multipolygons, and `tags-filter` with the
/// referenced objects for routes.
public struct OSMImport: Sendable {
    /// Supported file name suffixes.
    public static let fileSuffixes = [".osm", ".osm.bz2", ".osm.gz", ".osm.pbf"]
    /// The attribution required by the licence (ODbL 1.0).
    public static let attribution = "© OpenStreetMap contributors, ODbL 1.0"

    /// The tool's location; nil searches `PATH`.
    public var osmium: URL?
    /// Maximum output of one pass, in bytes.
    public var outputBytesMax = 512 * 1024 * 1024
    /// Maximum duration of one pass, in seconds.
    public var timeoutSeconds = 300.0
    /// Approximate number of zones in the grid, if the extract names no suitable areas.
    public var gridTargetCells = 12

    public init(osmium: URL? = nil) {
        self.osmium = osmium
    }

    /// Reads the whole campus. Blocks the calling thread while the tool runs, so do not call it on an event loop.
    ///
    /// The same file yields the same document, with the same source ids.
    /// - Throws: ``OSMImportError``.
    public func read(_ file: URL) throws(OSMImportError) -> CampusDocument {
        let tool = try tool(for: file)
        // An absolute path, so that a name that begins with a dash is not taken for an option.
        let path = file.absoluteURL.path
        let info = try tool.run(["fileinfo", "--json", path])
        let inventory = try tool.run(
            ["tags-filter", "-R", "--no-progress", "-f", "opl,add_metadata=false", path] + OSMObject.inventoryKeys)
        let objects = OSMObject.parse(opl: inventory)
        guard !objects.isEmpty else { throw .nothingOnTheMap(name: file.lastPathComponent) }
        let export = try tool.run([
            "export", "--no-progress", "-f", "geojsonseq", "-x", "print_record_separator=false", "-u", "type_id", path,
        ])
        let geometries = OSMGeometries(geoJSONSequence: export)
        var builder = OSMCampus(geometries: geometries)
        for object in objects { builder.add(object) }
        guard let bounds = Self.bounds(fileinfo: info) ?? geometries.box else {
            throw .nothingOnTheMap(name: file.lastPathComponent)
        }
        var document = try builder.document(bounds: bounds, objects: objects, gridTargetCells: gridTargetCells)
        document.network = try readObjects(file)
        return document
    }

    /// Reads the objects that routes need: tagged objects, their nodes and members, with positions. Blocks the calling
    /// thread while the tool runs.
    /// - Throws: ``OSMImportError``.
    public func readObjects(_ file: URL) throws(OSMImportError) -> [OSMObject] {
        let output = try tool(for: file).run(
            ["tags-filter", "--no-progress", "-f", "opl,add_metadata=false", file.absoluteURL.path]
                + OSMObject.inventoryKeys + OSMObject.routingKeys)
        let objects = OSMObject.parse(opl: output)
        guard !objects.isEmpty else { throw .nothingOnTheMap(name: file.lastPathComponent) }
        return objects
    }

    /// The tool, if the file's name and permissions are right.
    private func tool(for file: URL) throws(OSMImportError) -> OsmiumTool {
        guard Self.fileSuffixes.contains(where: { file.lastPathComponent.lowercased().hasSuffix($0) }) else {
            throw .fileKind(name: file.lastPathComponent)
        }
        guard FileManager.default.isReadableFile(atPath: file.path) else {
            throw .notReadable(name: file.lastPathComponent)
        }
        return try OsmiumTool(executable: osmium, outputBytesMax: outputBytesMax, timeoutSeconds: timeoutSeconds)
    }

    /// The union of the boxes in the file's header; nil if it has none.
    static func bounds(fileinfo: Data) -> GeoBox? {
        struct Info: Decodable {
            struct Header: Decodable {
                var boxes: [[Double]]?
            }
            var header: Header
        }
        let boxes = (try? JSONDecoder().decode(Info.self, from: fileinfo))?.header.boxes ?? []
        return boxes.reduce(nil) { known, edges in
            guard edges.count == 4,
                let box = try? GeoBox(south: edges[1], west: edges[0], north: edges[3], east: edges[2]),
                box.south < box.north, box.west < box.east
            else { return known }
            return known?.union(box) ?? box
        }
    }
}

/// The reason why an OpenStreetMap extract could not be read.
public enum OSMImportError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The tool is not installed.
    case osmiumMissing
    /// The tool could not be started.
    case osmiumNotStarted(reason: String)
    /// The file's name has none of ``OSMImport/fileSuffixes``.
    case fileKind(name: String)
    /// The file does not exist or may not be read.
    case notReadable(name: String)
    /// The tool refused the file; the reason is the last line of its standard error.
    case refused(reason: String)
    /// The tool took longer than ``OSMImport/timeoutSeconds``.
    case timeout(seconds: Double)
    /// The tool wrote more than ``OSMImport/outputBytesMax``.
    case outputTooLarge(bytesMax: Int)
    /// The file holds no building, way or place.
    case nothingOnTheMap(name: String)
    /// The extract has no width or height.
    case flatBounds

    /// The error and its remedy.
    public var description: String {
        switch self {
        case .osmiumMissing: "osmium not found: install it with apt-get install osmium-tool"
        case .osmiumNotStarted(let reason): "osmium could not be started (\(reason)): check that it may be executed"
        case .fileKind(let name):
            "\(name) does not look like OpenStreetMap data: give a file ending in "
                + OSMImport.fileSuffixes.joined(separator: ", ")
        case .notReadable(let name): "\(name) cannot be read: check the path and its permissions"
        case .refused(let reason): "osmium refused the file (\(reason)): it may be truncated, download it again"
        case .timeout(let seconds): "osmium took longer than \(Int(seconds)) s: cut the extract to the campus"
        case .outputTooLarge(let bytes): "osmium wrote more than \(bytes) bytes: cut the extract to the campus"
        case .nothingOnTheMap(let name): "\(name) has no buildings, ways or places: give an extract of the campus"
        case .flatBounds: "the extract has no width or height: give an extract of the whole campus"
        }
    }
}
