import CampanileClient
import CommandSupport
import Foundation
import Wire

/// Result of one file.
struct ReplayOutcome: Sendable {
    let index: Int
    let plan: ReplayPlan
    /// State of the session at the end; nil if none could be started.
    let session: Session?
    let sent: Int
    /// Number of points that added no distance, by reason, as the server reports at the end.
    let notCounted: [String: Int]
    /// Reason why the runner did not finish; nil if all points are acknowledged.
    let failure: String?
}

/// A client that replays one file.
struct ReplayRunner: Sendable {
    /// Interval of checking whether the runner has waited too long.
    private static let watchInterval = Duration.milliseconds(500)

    static let clientName = Hello.Params.Client(name: "campanile-replay", version: nil)

    static var clientOptions: ResilientClient.Options {
        var options = ResilientClient.Options()
        options.client = clientName
        return options
    }

    let index: Int
    let plan: ReplayPlan
    let settings: ReplaySettings
    let tally: ReplayTally
    let ledger: ReplayLedger?
    let client: ResilientClient

    /// Creates the runner's account.
    /// - Returns: False if the server was unreachable for too long.
    /// - Throws: ``CommandFailure``: 64 if the server has another key, 65 if it refuses the account for another reason.
    func register() async throws -> Bool {
        await client.start()
        do {
            _ = try await givingUp(onGiveUp: {}) {
                try await SimulatedAccount.register(over: client, name: plan.usernameStart, key: settings.key)
            }
            return true
        } catch let error as RPCError {
            throw CommandFailure(error.registered == .forbidden ? .usage : .dataError, error.message)
        } catch {
            return false
        }
    }

    func run(isRegistered: Bool) async -> ReplayOutcome {
        guard isRegistered else { return outcome(nil, sent: 0, [:], failure: "no account could be made in time") }
        tally.setActive(true, index)
        let outcome = await track()
        tally.addReconnections(await client.reconnections)
        tally.setActive(false, index)
        return outcome
    }

    private func track() async -> ReplayOutcome {
        var options = TrackUploader.Options(
            activity: settings.activity, title: plan.title, audience: settings.audience,
            clock: SessionClock(kind: .recorded, speed: settings.speed))
        // A replay has all its points at the start. The queue has room for all of them, so that an outage does not delay later points.
        options.queueEntriesMax = max(options.queueEntriesMax, plan.points.count)
        let uploader = TrackUploader(client: client, options: options, events: tally.events(of: index, ledger: ledger))
        do {
            let result = try await givingUp(onGiveUp: { await uploader.cancel() }) {
                try await replay(uploader)
                let session = try await uploader.finish()
                return try await history(of: session)
            }
            await client.close()
            return outcome(result.session, sent: plan.points.count, result.notCounted, failure: nil)
        } catch {
            await client.close()
            let reason =
                error as? ClientError == .closed
                ? "given up after \(settings.giveUpAfter) without an answer" : "\(error)"
            return outcome(await uploader.session, sent: Int(await uploader.lastSeq), [:], failure: reason)
        }
    }

    /// Sends the points when they are due.
    private func replay(_ uploader: TrackUploader) async throws {
        let session = try await uploader.start()
        let clock = ContinuousClock()
        let begin = clock.now
        for batch in plan.batches(speed: settings.speed, longestWait: settings.longestWait) {
            if let wait = batch.cutWait {
                let (whole, cut) = ShortSeconds.pair(wait, settings.longestWait)
                Terminal.progress(
                    "\(plan.file): a wait of \(whole) s is cut to \(cut) s; the server sees the gap in the recorded times"
                )
            }
            try await clock.sleep(until: begin + .seconds(batch.due))
            tally.waits(index)
            try await uploader.add(contentsOf: plan.fixes(batch.points, startingAt: session.startedAt))
        }
        tally.waits(index)
    }

    /// The session as the history shows it, with its final distance.
    private func history(of session: Session) async throws -> TrackingSession.Result {
        while true {
            tally.waits(index)
            do {
                let result = try await client.call(TrackingSession.self, .init(session: session.id))
                tally.waitsNoMore(index)
                return result
            } catch let error as RPCError where error.registered?.isRetryable == true {
                try await Task.sleep(for: max(.milliseconds(100), error.retryDelay ?? .seconds(1)))
            } catch ClientError.disconnected, ClientError.timeout {
                // `call` waits for the next connection.
            }
        }
    }

    /// Runs `body`, and ends it by closing the client when a reply is overdue.
    private func givingUp<Result: Sendable>(
        onGiveUp: @escaping @Sendable () async -> Void, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        tally.waits(index)
        let watch = Task {
            while true {
                try await Task.sleep(for: Self.watchInterval)
                guard let since = tally.runner(index).waitingSince,
                    .nanoseconds(nowNanoseconds() &- since) > settings.giveUpAfter
                else { continue }
                await onGiveUp()
                await client.close()
                return
            }
        }
        defer {
            watch.cancel()
            tally.waitsNoMore(index)
        }
        return try await body()
    }

    private func outcome(
        _ session: Session?, sent: Int, _ notCounted: [String: Int], failure: String?
    ) -> ReplayOutcome {
        ReplayOutcome(
            index: index, plan: plan, session: session, sent: sent, notCounted: notCounted, failure: failure)
    }
}
