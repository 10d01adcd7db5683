import EventLoop
import Wire

/// Synthetic runners and riders for demonstrations: real clients over real sockets, one fix a second on the live clock, at
/// human speeds and with the noise of a receiver. Some pause, some stand, some are offline for a while.
///
/// They need the server operator's simulation key and are labelled as simulated everywhere.
public struct SampleRunners: Sendable {
    /// Between two fixes.
    static let fixInterval = Duration.seconds(1)

    private let seed: UInt64
    private let loops: ClientLoops
    private let clientOptions: ResilientClient.Options

    /// - Parameters:
    ///   - seed: The same seed gives the same speeds, places and breaks.
    ///   - loops: Where the clients live.
    ///   - clientOptions: How patient they are.
    public init(seed: UInt64 = 1, loops: ClientLoops, clientOptions: ResilientClient.Options = .init()) {
        self.seed = seed
        self.loops = loops
        self.clientOptions = clientOptions
    }

    /// Runs `count` runners until the task is cancelled; their sessions are then stopped, if the server answers within two
    /// seconds.
    /// - Parameters:
    ///   - server: Where to.
    ///   - key: The operator's simulation key.
    ///   - courses: Closed courses as (latitude, longitude) in degrees; runners are spread over them.
    ///   - count: How many.
    /// - Throws: `RPCError` (`forbidden` when the key is not the server's), or ``ClientError`` when a client had to give up;
    ///   the other runners are then stopped as well.
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
            // A client closed because the demonstration is over has nothing to complain about.
            guard Task.isCancelled else { throw error }
            return
        }
        await client.close()
    }

    /// One session until the task is cancelled.
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
        var before = motion.doing
        var heldBack: [TrackFix] = []
        while !Task.isCancelled {
            let (lat, lon, accuracy) = motion.step()
            let fix = TrackFix(lat: lat, lon: lon, time: await serverNow(client), accuracy: accuracy)
            switch (before, motion.doing) {
            case (_, .offline): heldBack.append(fix)
            case (.paused, .paused): break
            case (_, .paused): try await uploader.pause(at: fix.time)
            case (let last, _):
                if last == .paused { try await uploader.resume(at: fix.time) }
                // What was recorded without a connection goes first, in one request.
                try await uploader.add(contentsOf: heldBack + [fix])
                heldBack = []
            }
            before = motion.doing
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
