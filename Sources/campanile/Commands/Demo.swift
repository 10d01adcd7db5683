import ArgumentParser
import CampanileClient
import Campus
import CommandSupport
import EventLoop
import Foundation
import Server

/// `campanile demo`.
struct Demo: AsyncParsableCommand {
    /// Number of sample people who look for buddies.
    static let buddies = 12
    /// Highest number of runners that fit the paths of the sample campus.
    static let runnersMax = 500

    static let configuration = CommandConfiguration(
        abstract: "Run the server with a sample campus and sample runners, for a first look.",
        discussion: """
            The demo keeps a PostgreSQL and a data directory of its own, apart from the one that serve uses, and never
            touches DATABASE_URL. Its campus, runners and buddies are invented; each is a real client with an account and
            a WebSocket of its own, marked as simulated. They start afresh every time, and so do chats with them; accounts
            you register stay.
            """)

    @Option(
        name: [.customLong("data"), .customLong("data-directory")],
        help: ArgumentHelp("Directory of the demo. Default: a demo directory next to that of serve.", valueName: "dir"))
    var data: String?

    @Option(help: ArgumentHelp("How many sample runners, 0-500.", valueName: "count"))
    var runners = 30

    @OptionGroup var listen: ListenOptions
    @OptionGroup var http: HTTPOptions
    @OptionGroup var log: LogOptions

    func run() async throws {
        do {
            guard (0...Self.runnersMax).contains(runners) else {
                throw CommandFailure(.usage, "--runners must be 0 to \(Self.runnersMax)")
            }
            guard data?.isEmpty != true else { throw CommandFailure(.usage, "--data must name a directory") }
            var configuration = ServerConfiguration(
                dataDirectory: data ?? DataOptions.defaultDirectory + "-demo", resources: try Resources.find())
            configuration.isDemo = true
            try listen.apply(to: &configuration)
            try http.apply(to: &configuration)
            try HTTPOptions.checkConfirmation(configuration)
            try ThreadCheck.run(count: ThreadCheck.threads(loops: configuration.loopCount))
            Terminal.progress(
                "Starting PostgreSQL and the server; the first start makes a database and takes some seconds")
            let stop = StopSignal { Terminal.progress("Stopping") }
            let started = try await stop.whileRunning("start") { [configuration] in
                try await CampanileServer.start(configuration)
            }
            guard let server = started else { return }
            _ = try await server.campusStore.store(SampleCampus.document, name: SampleCampus.document.name)
            try await server.reloadCampus()
            let field = try startField(server, configuration)
            Terminal.output("Open \(server.url)")
            if let note = listen.trustNote(configuration) { Terminal.progress(note) }
            Terminal.progress(
                "\(runners) sample runners and \(Self.buddies) sample buddies are starting. Stop with Ctrl-C.")
            await stop.wait()
            field.cancel()
            await server.stop()
        } catch {
            throw CommandFailure(error)
        }
    }

    private func startField(
        _ server: CampanileServer, _ configuration: ServerConfiguration
    ) throws -> Task<Void, Never> {
        // These clients accept any certificate, because they connect only to the server in their own process.
        let loops = try ClientLoops(authorityFile: configuration.tls?.certificate)
        let address = try ServerAddress(url: server.url)
        let key = try server.simulationKey()
        let courses = SampleCampus.courses.map { course in
            course.line.map { (lat: $0.latitude, lon: $0.longitude) }
        }
        let count = runners
        return Task {
            do {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await SampleRunners(loops: loops).run(
                            server: address, key: key, courses: courses, count: count)
                    }
                    group.addTask {
                        try await SampleBuddies(loops: loops).run(server: address, key: key, count: Self.buddies)
                    }
                    try await group.waitForAll()
                }
            } catch is CancellationError {
            } catch {
                Terminal.progress("campanile: the samples stopped: \(error)")
            }
        }
    }
}
