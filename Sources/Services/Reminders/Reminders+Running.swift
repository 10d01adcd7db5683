import EventLoop
import Postgres
import Wire

/// Processing of the outbox. States of a row: `waiting` → `sending`, committed before anything is sent → `sent`, or `waiting` again for a
/// retry, `failed`, `dropped` if it no longer applies, or `doubtful` if a server crashed or received no answer while sending.
extension Reminders {
    /// Largest time for which a stopping server waits for reminders in flight.
    static let stopTimeMax = Duration.seconds(5)
    /// Delay between attempts to store an outcome.
    static let settleInterval = Duration.milliseconds(500)

    /// Plans and sends reminders until the task is cancelled.
    public func run() async {
        while !Task.isCancelled, !isStopping {
            do {
                try await runOnce()
            } catch {
                // The database is unreachable; the outbox keeps its rows.
                logger.warning("the outbox of reminders could not be processed", metadata: ["error": "\(error)"])
            }
            await loop.sleep(for: configuration.interval)
        }
    }

    /// Stops claiming reminders, and returns when none is in flight or after ``stopTimeMax``.
    public func stop() async {
        isStopping = true
        let deadline = ContinuousClock.now + Self.stopTimeMax
        while inFlight.values.contains(where: { $0 > 0 }), ContinuousClock.now < deadline {
            await loop.sleep(for: .milliseconds(20))
        }
    }

    /// One iteration of planning and claiming. Returns when the claimed reminders are in flight.
    func runOnce() async throws {
        guard !available.isEmpty else { return }
        let at = now()
        // A failure of one part does not stop the following ones.
        var failure: (any Error)?
        do { try await markInDoubt(at: at) } catch { failure = error }
        do { try await postponeForConnected(at: at) } catch { failure = error }
        // Claims due reminders both before planning, which must not delay them, and after it, to send newly planned ones in the same
        // iteration.
        for channel in available { do { try await claimDue(channel) } catch { failure = error } }
        do { try await plan(at: at) } catch { failure = error }
        for channel in available { do { try await claimDue(channel) } catch { failure = error } }
        if let failure { throw failure }
    }

    /// Marks mails and text messages whose server crashed while sending as in doubt. They are not sent again, because the first attempt
    /// may have succeeded.
    private func markInDoubt(at: Timestamp) async throws {
        let rows = try await database.query(
            """
            UPDATE reminders SET state = 'doubtful', sent_at = $1, error = 'the server that sent it died'
            WHERE state = 'sending' AND channel IN ('email', 'text') AND next_at <= $1 RETURNING channel
            """, [.timestamp(at.milliseconds)])
        for row in rows {
            guard let channel = ReminderChannel(rawValue: try row.text("channel")) else { continue }
            metrics.count(.doubtful, channel)
            logger.warning(
                "a reminder is in doubt: its server crashed while sending it",
                metadata: ["channel": "\(channel)"])
        }
    }

    /// Claims due reminders for free slots; finished reminders claim further ones.
    private func claimDue(_ channel: ReminderChannel) async throws {
        let room = (Self.concurrentMax[channel] ?? 1) - inFlight[channel, default: 0]
        guard room > 0, !isStopping else { return }
        // Reserved before the query, so that concurrent calls do not claim twice as many.
        inFlight[channel, default: 0] += room
        var taken = 0
        defer { inFlight[channel, default: 0] -= room - taken }
        let at = now()
        let rows = try await database.query(
            "SELECT * FROM reminder_claim($1, $2, $3, $4, $5)",
            [
                .text(channel.rawValue), .int(Int64(room)), .timestamp(at.milliseconds),
                .timestamp(at.advanced(bySeconds: configuration.leaseSeconds).milliseconds), .text(node),
            ])
        let claimed = try rows.map { try OutboxRow($0) }
        taken = claimed.count
        for row in claimed {
            Task(executorPreference: loop) {
                await self.deliver(row)
                await self.done(row.channel)
            }
        }
    }

    private func done(_ channel: ReminderChannel) async {
        inFlight[channel, default: 0] -= 1
        // The next iteration repeats a failed claim.
        if inFlight[channel, default: 0] * 2 <= Self.concurrentMax[channel] ?? 1 { try? await claimDue(channel) }
    }

    // MARK: Outcomes

    /// Outcome to store for a row.
    enum Settlement: Sendable, Equatable {
        case sent
        /// Postponed without counting an attempt.
        case putOff(Timestamp)
        case retry(String, after: Double?)
        case dropped(String)
        case failed(String)
        case dead(String)
        case doubtful(String)
    }

    private func deliver(_ row: OutboxRow) async {
        let settlement: Settlement
        let began = now()
        do {
            settlement = try await attempt(row)
        } catch {
            // Nothing was sent: ``attempt(_:)`` throws only before handing over.
            settlement = .putOff(now().advanced(bySeconds: Self.retrySecondsFirst))
            logger.warning("a reminder could not be prepared", metadata: ["error": "\(error)"])
        }
        await settle(row, settlement, since: began)
    }

    /// Stores the outcome and disables a dead address in one statement, so that a crash in between cannot leave the address enabled.
    private static let settleSQL = """
        WITH settled AS (
            UPDATE reminders SET state = $4, next_at = $5, sent_at = $6, error = $7, attempts = $8
            WHERE id = $1 AND node = $2 AND attempts = $3 AND state IN ('sending', 'doubtful'))
        UPDATE reminder_addresses SET state = 'dead', reason = $11
        WHERE id = $9::bigint AND created_at <= $10 AND state <> 'dead'
        """

    /// Stores the outcome of a row as soon as the database accepts it. If another server has claimed the row meanwhile, its claim stays.
    /// - Parameter began: Start of the attempt; an address that was set later is not disabled.
    private func settle(_ row: OutboxRow, _ settlement: Settlement, since began: Timestamp) async {
        let written = written(row, settlement)
        while true {
            do {
                var dead: (address: Int64?, reason: String?)
                if case .dead(let reason) = settlement { dead = (row.addressID, reason) }
                _ = try await database.query(
                    Self.settleSQL,
                    [
                        .int(row.id), .text(node), .int(row.attempts), .text(written.state),
                        .timestamp(written.next.milliseconds),
                        .optional(timestamp: written.isSent ? now().milliseconds : nil), .optional(written.error),
                        .int(written.attempts), .optional(dead.address), .timestamp(began.milliseconds),
                        .optional(dead.reason),
                    ])
                return
            } catch {
                if isStopping || Task.isCancelled { return }
                await loop.sleep(for: Self.settleInterval)
            }
        }
    }

    private struct Written {
        var state: String
        var next: Timestamp
        var error: String?
        var attempts: Int64
        var isSent = false
    }

    private func written(_ row: OutboxRow, _ settlement: Settlement) -> Written {
        let at = now()
        var written = Written(state: "sent", next: at, error: nil, attempts: row.attempts)
        switch settlement {
        case .sent:
            written.isSent = true
            metrics.count(.sent, row.channel)
        case .putOff(let until):
            (written.state, written.next, written.attempts) = ("waiting", until, row.attempts - 1)
        case .retry(let reason, let after):
            let next = at.advanced(bySeconds: Self.delay(attempts: row.attempts, asked: after))
            written.error = reason
            if row.attempts < Self.attemptsMax, next < row.expiresAt {
                (written.state, written.next) = ("waiting", next)
                metrics.count(.retried, row.channel)
            } else {
                written.state = "failed"
                metrics.count(.failed, row.channel)
            }
            logger.info(
                "a reminder could not be sent", metadata: ["channel": "\(row.channel)", "reason": "\(reason)"])
        case .dropped(let reason):
            (written.state, written.error) = ("dropped", reason)
            metrics.count(.dropped, row.channel)
        case .failed(let reason):
            (written.state, written.error) = ("failed", reason)
            metrics.count(.failed, row.channel)
            logger.warning("a reminder was refused", metadata: ["channel": "\(row.channel)", "reason": "\(reason)"])
        case .dead(let reason):
            (written.state, written.error) = ("failed", reason)
            metrics.count(.dead, row.channel)
        case .doubtful(let reason):
            (written.state, written.error, written.isSent) = ("doubtful", reason, true)
            metrics.count(.doubtful, row.channel)
            logger.warning(
                "a reminder is in doubt",
                metadata: ["channel": "\(row.channel)", "reason": "\(reason)"])
        }
        return written
    }

    /// Seconds until the next attempt: exponential back-off with jitter.
    static func delay(attempts: Int64, asked: Double?, random: Double = .random(in: 0.5...1.5)) -> Double {
        max(
            Backoff.seconds(attempts: attempts, first: retrySecondsFirst, max: retrySecondsMax, random: random),
            min(asked ?? 0, retryAfterSecondsMax))
    }
}
