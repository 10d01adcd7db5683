import ArgumentParser
import Campus
import CommandSupport
import EventLoop
import Foundation
import Logging
import Postgres
import Server
import Services

/// `campanile import`.
struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Read a campus: an OpenStreetMap extract, GeoJSON, or both.",
        discussion: """
            An extract (.osm, .osm.pbf, .osm.gz, .osm.bz2; read by Debian's osmium-tool) brings bounds, buildings,
            footways, steps, places, rooms, all that routes need, and zones from its named areas, or a grid where those do
            not cover it. A GeoJSON file (.geojson, .json) brings zones: polygons with the properties kind=zone, ref and name;
            its zones win over the extract's. Features with the tags of OpenStreetMap, such as indoor=room or highway=footway,
            are paths, rooms and doors, and join the extract's at equal positions. Importing again updates in place; a
            running server shows it within seconds. It says first what it replaces, and stops where that looks like a mistake,
            unless told --force.
            """)

    @OptionGroup var data: DataOptions

    @Option(help: ArgumentHelp("The campus's name, shown to everyone.", valueName: "name"))
    var name: String?

    @Flag(
        help:
            "Import even if it looks like a mistake: a map that is too large or of another area, or a grid that replaces zones."
    )
    var force = false

    @Argument(help: ArgumentHelp("Files to read.", valueName: "file"))
    var files: [String]

    func run() async throws {
        do {
            let document = try read()
            let (files, force, name) = (files, force, name)
            try await DatabaseSession.with(data, command: "import") { session in
                let plan = try await CampusStore(database: session.pool).plan(document)
                for line in plan.lines { Terminal.output(line) }
                let warnings = plan.warnings.joined(separator: "; ")
                if !warnings.isEmpty, !force {
                    throw CommandFailure(
                        .dataError,
                        "\(files.joined(separator: ", ")): \(warnings): nothing was changed; use --force to import it anyway"
                    )
                }
                if !warnings.isEmpty { Terminal.progress("--force: \(warnings)") }
                let report = try await CampusStore(database: session.pool).store(document, name: name)
                Terminal.output(document.counts.table)
                for (table, count) in report.removed.sorted(by: { $0.key < $1.key }) where count > 0 {
                    Terminal.output("\(count) \(table) that the file no longer has were removed")
                }
                Terminal.output(
                    "Stored \(report.written.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))"
                )
            }
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Reads all files before anything is stored.
    private func read() throws -> CampusDocument {
        var merged: CampusDocument?
        var zones: CampusDocument?
        for path in files {
            let file = URL(fileURLWithPath: path)
            Terminal.progress("Reading \(file.lastPathComponent)")
            guard FileManager.default.isReadableFile(atPath: path) else {
                throw CommandFailure(.dataError, "\(path) cannot be read: check the name and its permissions")
            }
            do {
                if OSMImport.fileSuffixes.contains(where: { path.hasSuffix($0) }) {
                    guard merged == nil else {
                        throw CommandFailure(.usage, "give one OpenStreetMap extract at a time")
                    }
                    merged = try OSMImport().read(file)
                } else if ["geojson", "json"].contains(file.pathExtension) {
                    zones = try CampusDocument(zonesGeoJSON: try Data(contentsOf: file))
                } else {
                    throw CommandFailure(
                        .dataError, "its kind is not known: give .osm, .osm.pbf, .osm.gz, .osm.bz2, .geojson or .json")
                }
            } catch {
                let failure = CommandFailure(error)
                throw CommandFailure(failure.code, "\(file.lastPathComponent): \(failure.message)")
            }
        }
        guard var document = merged ?? zones else { throw CommandFailure(.usage, "give at least one file") }
        if merged != nil, let zones {
            document.takeZones(of: zones)
        }
        return document
    }
}

extension CampusStore.ImportPlan {
    /// Description of the changes, printed before they are made.
    fileprivate var lines: [String] {
        guard let campus else { return ["The first import: nothing is replaced"] }
        let parts = changes.map {
            "\($0.present) \($0.table) (\($0.kept) are in the file as well, \($0.removed) are removed)"
        }
        return ["Replaces the map of \(campus): \(parts.joined(separator: ", "))"]
    }
}

/// A database connection for the duration of one command.
struct DatabaseSession: Sendable {
    let pool: PostgresPool
    let loop: EventLoop

    /// Opens the database, also beside a running server, and closes it whatever happens. SIGINT or SIGTERM cancels `body`.
    /// - Parameter command: The command's name, for messages about it.
    static func with<T: Sendable>(
        _ options: DataOptions, command: String, _ body: @escaping @Sendable (DatabaseSession) async throws -> T
    ) async throws -> T {
        let configuration = try options.configuration()
        let stop = StopSignal { Terminal.progress("Stopping") }
        let value = try await stop.whileRunning(command) { try await run(configuration, body) }
        guard let value else { throw CommandFailure(.tryAgain, "\(command) was interrupted: run it again") }
        return value
    }

    private static func run<T: Sendable>(
        _ configuration: ServerConfiguration, _ body: @Sendable (DatabaseSession) async throws -> T
    ) async throws -> T {
        let loop = try EventLoop(label: "command")
        let access = try await DatabaseAccess.open(
            configuration, loop: loop, joining: true, logger: Logger(label: "campanile"))
        let session = DatabaseSession(pool: PostgresPool(configuration: access.application, loop: loop), loop: loop)
        do {
            let value = try await body(session)
            await session.pool.close()
            await access.close()
            return value
        } catch {
            await session.pool.close()
            await access.close()
            throw error
        }
    }
}
