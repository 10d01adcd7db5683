import ArgumentParser
import CampanileClient
import Campus
import CommandSupport
import EventLoop
import Foundation
import Samples
import Server

/// `campanile demo`.
struct Demo: AsyncParsableCommand {
    /// Highest number of runners that fit the paths of the sample campus.
    static let runnersMax = 500

    static let configuration = CommandConfiguration(
        abstract: "Run the server with a sample campus full of sample people, for a first look.",
        discussion: """
            The demo keeps a PostgreSQL and a data directory of its own, apart from the one that serve uses, and never
            touches DATABASE_URL. Its campus and people are invented; each is a real client with an account and a
            WebSocket of its own, marked as simulated. They start afresh every time, with all that they made and chats with
            them; accounts you register stay. The start page logs you in as a sample student, and, if only this machine
            reaches the server, as a sample admin.
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
            let (configuration, signIns, offersAdmin) = try makeConfiguration()
            Terminal.progress(
                "Starting PostgreSQL and the server; the first start makes a database and takes some seconds")
            let stop = StopSignal { Terminal.progress("Stopping") }
            let started = try await stop.whileRunning("start") { try await CampanileServer.start(configuration) }
            guard let server = started else { return }
            _ = try await server.campusStore.store(SampleCampus.document, name: SampleCampus.document.name)
            try await server.reloadCampus()
            if let note = listen.trustNote(configuration) { Terminal.progress(note) }
            let samples = try startSamples(server, configuration, signIns, offersAdmin: offersAdmin)
            await stop.wait()
            samples.cancel()
            await server.stop()
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Checks the options. Not a part of ``run()``: Swift 6.3.1 crashes when it optimises the whole as one asynchronous function.
    private func makeConfiguration() throws -> (ServerConfiguration, SampleSignIns, offersAdmin: Bool) {
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
        let (signIns, offersAdmin) = (SampleSignIns(), configuration.listensToThisMachineAlone)
        configuration.sampleSignIns = signIns
        // A page of another name, to which DNS rebinding leads, gets no answer, and not the admin's password.
        if offersAdmin { configuration.hostNames = ServerConfiguration.loopbackNames }
        try ThreadCheck.run(count: ThreadCheck.threads(loops: configuration.loopCount))
        return (configuration, signIns, offersAdmin)
    }

    private func startSamples(
        _ server: CampanileServer, _ configuration: ServerConfiguration, _ signIns: SampleSignIns, offersAdmin: Bool
    ) throws -> Task<Void, Never> {
        // These clients accept any certificate, because they connect only to the server in their own process.
        let loops = try ClientLoops(authorityFile: configuration.tls?.certificate)
        let life = SampleLife(
            server: server, address: try ServerAddress(url: server.url), loops: loops, signIns: signIns,
            offersAdmin: offersAdmin)
        let (count, url) = (runners, server.url)
        return Task {
            do {
                try await life.run(runners: count) {
                    Terminal.output("Open \(url)")
                    Terminal.progress(
                        "The log-in page offers sample accounts; the heatmap shows the first people within half a minute. Stop with Ctrl-C."
                    )
                }
            } catch is CancellationError {
            } catch {
                Terminal.progress("campanile: the samples stopped, and \(url) serves without them: \(error)")
            }
        }
    }
}
