import CampanileClient
import Campus
import Server
import Wire

/// The living campus of `campanile demo`: runners, people who answer, events, notices, conversations, shares, a crowd for the heatmap, and
/// an account with a month of history as which a visitor looks around.
///
/// All samples are clients over WebSocket, so that all rules of the protocol apply to them. Only ``SamplePast`` and the roles of the two
/// accounts of the administration go around it.
public struct SampleLife: Sendable {
    /// Text of the button that logs in as the visitor.
    public static let visitorLabel = "Look around as Lena, a sample student"
    /// Text of the button that logs in as the admin.
    public static let adminLabel = "Look around as Ada, the sample admin"

    /// Interval at which a sample person looks for messages to answer.
    public static let answerInterval = Duration.seconds(2)

    private let server: CampanileServer
    private let address: ServerAddress
    private let loops: ClientLoops
    private let signIns: SampleSignIns
    private let offersAdmin: Bool
    private let answerInterval: Duration

    /// - Parameters:
    ///   - server: The server, in this process, with the sample campus.
    ///   - address: Where the samples connect to it.
    ///   - loops: The event loops of the clients.
    ///   - signIns: Where the accounts with a public password are offered.
    ///   - offersAdmin: Whether an admin is among them. Everybody who reaches the server can then administer it.
    public init(
        server: CampanileServer, address: ServerAddress, loops: ClientLoops, signIns: SampleSignIns, offersAdmin: Bool,
        answerInterval: Duration = SampleLife.answerInterval
    ) {
        self.server = server
        self.address = address
        self.loops = loops
        self.signIns = signIns
        self.offersAdmin = offersAdmin
        self.answerInterval = answerInterval
    }

    /// Runs the samples until the task is cancelled.
    /// - Parameters:
    ///   - runners: Number of runners.
    ///   - ready: Called when the visitor's account is complete and offered.
    /// - Throws: Whatever ends a sample other than the cancellation.
    public func run(runners: Int, ready: @escaping @Sendable () -> Void = {}) async throws {
        let accounts = SampleAccounts(server: address, loops: loops, key: try server.simulationKey())
        let courses = SampleCampus.courses.map { course in
            course.line.map { (lat: $0.latitude, lon: $0.longitude) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await SampleRunners(loops: loops).run(
                    server: accounts.server, key: accounts.key, courses: courses, count: runners)
            }
            group.addTask { try await SampleCrowd(accounts: accounts, places: SamplePlaces()).run() }
            group.addTask { try await live(accounts, ready) }
            try await group.waitForAll()
        }
    }

    /// Prepares the people with names, offers the log-ins, and lets the people live.
    private func live(_ accounts: SampleAccounts, _ ready: @escaping @Sendable () -> Void) async throws {
        let preparation = SamplePreparation(server: server, accounts: accounts, time: SampleTime())
        let (people, visitorSignIn) = try await preparation.run()
        var offered = [visitorSignIn]
        if offersAdmin { offered.append(try await preparation.makeAdmin()) }
        signIns.offer(offered)
        ready()
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for person in people.students {
                    group.addTask {
                        try await SampleResponder(person: person, cast: people.cast, checkInterval: answerInterval)
                            .run()
                    }
                }
                group.addTask { try await SampleShares(people: people, places: SamplePlaces()).run() }
                group.addTask { try await preparation.conversations(people).arrive() }
                try await group.waitForAll()
            }
        } catch {
            await people.close()
            guard Task.isCancelled else { throw error }
            return
        }
        await people.close()
    }
}
