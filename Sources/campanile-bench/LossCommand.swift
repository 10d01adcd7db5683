import ArgumentParser
import Bench
import CommandSupport

/// `campanile-bench loss`.
struct LossCommand: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "loss",
        abstract:
            "Kill a server repeatedly, and check whether a publication or a message was lost, duplicated or out of order.",
        discussion: """
            Subscribers disconnect at random and resume from their last position. Publishers resend until they are
            acknowledged. Faults follow each other in rotation. With one node kill -9 ends the server, a session of its
            PostgreSQL, the server, PostgreSQL. With several nodes it ends NATS and a server, a node is cut off from
            NATS for 20 s, and kill -9 ends PostgreSQL, a server and a session. In the end each subscriber's
            publications are compared with the table. With --chat the clients are members of conversations, of two and
            of ten, on one to three devices each. They write, edit, delete, react and read, send requests that must be
            refused, and one member of each group leaves. With --disk-full the database's disk is full for
            15 s now and then. Fails if anything is lost, duplicated or out of order, a recovery is reported
            incorrectly, an unread count is wrong, or an account receives what it has no access to.
            """)

    @Option(help: ArgumentHelp("Subscribers", valueName: "count"))
    var clients = 200

    @Option(help: ArgumentHelp("Publishers", valueName: "count"))
    var publishers = 40

    @Option(help: ArgumentHelp("Topics; each subscriber follows three. With --chat: groups of ten", valueName: "count"))
    var topics = 10

    @Option(help: ArgumentHelp("Publications a second, of all publishers together", valueName: "count"))
    var rate = 120.0

    @Option(help: ArgumentHelp("Duration in seconds", valueName: "seconds"))
    var duration = 600.0

    @Option(help: ArgumentHelp("Mean seconds between two kills; 0 for none", valueName: "seconds"))
    var killEvery = 20.0

    @Option(
        help: ArgumentHelp(
            "Servers that share one PostgreSQL; with several, NATS between them is killed and cut off as well",
            valueName: "count"))
    var nodes = 1

    @Flag(help: "Conversations instead of test topics")
    var chat = false

    @Flag(name: .customLong("disk-full"), help: "Fill the database's disk now and then (needs root)")
    var diskFull = false

    @Flag(help: "Give each server its own network namespace, and cut it (needs root and iproute2)")
    var namespaces = false

    @Option(help: ArgumentHelp("Event loops of the server", valueName: "count"))
    var loops = 2

    @Flag(help: "One JSON object instead of a table")
    var json = false

    func validate() throws {
        try check("--clients", clients, 1...10_000)
        try check("--publishers", publishers, 1...1_000)
        try check("--topics", topics, 1...1_000)
        try check("--rate", rate, 1...100_000)
        try check("--duration", duration, 1...86_400)
        try check("--kill-every", killEvery, 0...86_400)
        try check("--loops", loops, 1...64)
        try check("--nodes", nodes, 1...8)
        guard !namespaces || nodes > 1 else { throw ValidationError("--namespaces needs --nodes 2 or more") }
    }

    func run() async throws {
        do {
            var options = LossOptions()
            options.clients = clients
            options.publishers = publishers
            options.topics = topics
            options.publicationsPerSecond = rate
            options.seconds = duration
            options.killEverySeconds = killEvery
            options.loops = loops
            options.nodes = nodes
            options.hasNamespaces = namespaces
            options.isChat = chat
            options.hasFullDisk = diskFull
            try show(try await LossScenario(options).run())
        } catch {
            throw CommandFailure(error)
        }
    }
}
