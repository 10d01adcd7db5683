import CampanileClient
import EventLoop
import Wire

/// Synthetic runners and riders for demonstrations. They are real clients over real sockets.
///
/// Each sends one fix a second on the live clock, at human speeds and with a receiver's noise. Some pause, some stand still, some
/// are offline for a while. They need the server operator's simulation key, and they are labelled as simulated everywhere.
public struct SampleRunners: Sendable {
    /// Interval between two fixes.
    static let fixInterval = Duration.seconds(1)

    private let seed: UInt64
    private let loops: ClientLoops
    private let clientOptions: ResilientClient.Options

    /// - Parameters:
    ///   - seed: The same seed gives the same speeds, positions and breaks.
    ///   - loops: The event loops of the clients.
    ///   - clientOptions: The clients' settings.
    public init(seed: UInt64 = 1, loops: ClientLoops, clientOptions: ResilientClient.Options = .init()) {
        self.seed = seed
        self.loops = loops
        self.clientOptions = clientOptions
    }

    /// Runs `count` runners until the task is cancelled, and then stops their sessions if the server answers within two seconds.
    /// - Parameters:
    ///   - server: The server.
    ///   - key: The operator's simulation key.
    ///   - courses: Closed courses as (latitude, longitude) in degrees. The runners are distributed over them.
    ///   - count: Number of runners.
    /// - Throws: `RPCError` (`forbidden` if the key is not the server's), or ``ClientError`` if a client has ended. The other
    ///   runners are then stopped as well.
    public func run(
        server: ServerAddress, key: String, courses: [[(lat: Double, lon: Double)]], count: Int
    ) async throws {
        let courses = courses.compactMap(Course.init)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<count {
                guard let motion = SampleMotion(index: index, courses: courses, seed: seed) else { continue }
                group.addTask { try await runOne(index, motion, server: server, key: key) }
            }
            try await group.waitForAll()
        }
    }

    private func runOne(_ index: Int, _ motion: SampleMotion, server: ServerAddress, key: String) async throws {
        let client = ResilientClient(address: server, loops: loops, options: clientOptions)
        await client.start()
        do {
            try await withTaskCancellationHandler {
                try await SimulatedAccount.register(over: client, name: SampleName.name(of: index), key: key)
                try await track(motion, client)
            } onCancel: {
                Task {
                    await client.loop.sleep(for: .seconds(2))
                    await client.close()
                }
            }
        } catch {
            await client.close()
            // The error of a client that was closed at the end of the demonstration is expected.
            guard Task.isCancelled else { throw error }
            return
        }
        await client.close()
    }

    /// Tracks one session until the task is cancelled.
    private func track(_ start: SampleMotion, _ client: ResilientClient) async throws {
        var motion = start
        var options = TrackUploader.Options(
            activity: motion.isRide ? .cycle : .run, title: motion.isRide ? "Sample ride" : "Sample run",
            audience: .public)
        options.backoff = clientOptions.backoff
        let uploader = TrackUploader(client: client, options: options)
        try await uploader.start()
        let clock = ContinuousClock()
        var due = clock.now
        var before = motion.behaviour
        var heldBack: [TrackFix] = []
        while !Task.isCancelled {
            let (lat, lon, accuracy) = motion.step()
            let fix = TrackFix(lat: lat, lon: lon, time: await serverNow(client), accuracy: accuracy)
            switch (before, motion.behaviour) {
            case (_, .offline): heldBack.append(fix)
            case (.paused, .paused): break
            case (_, .paused): try await uploader.pause(at: fix.time)
            case (let last, _):
                if last == .paused { try await uploader.resume(at: fix.time) }
                // Send the points recorded offline together with this one.
                try await uploader.add(contentsOf: heldBack + [fix])
                heldBack = []
            }
            before = motion.behaviour
            due += Self.fixInterval
            try? await clock.sleep(until: due)
        }
        try await uploader.add(contentsOf: heldBack)
        try await uploader.finish()
    }

    private func serverNow(_ client: ResilientClient) async -> Timestamp {
        Timestamp(milliseconds: Timestamp.now.milliseconds + (await client.serverClockOffsetMilliseconds))
    }
}
