import EventLoop
import Postgres
import Wire

/// The outbox at work. A row's states: `waiting` → `sending`, which is committed before anything leaves → `sent`, back to `waiting` to be
/// tried again, `failed`, `dropped` as it does not hold any more, or `doubtful`: a server died, or heard no answer, while it was sent.
extension Reminders {
    /// How long a server that stops waits for what it is sending.
    static let stopTimeMax = Duration.seconds(5)
    /// Between two tries to write down what became of one.
    static let settleInterval = Duration.milliseconds(500)

    /// Plans and sends until the task is cancelled.
    public func run() async {
        while !Task.isCancelled, !isStopping {
            do {
                try await turn()
            } catch {
                // The database is away: what is in it waits there.
                logger.warning("reminders wait", metadata: ["error": "\(error)"])
            }
            await loop.sleep(for: configuration.interval)
        }
    }

    /// Takes nothing more, and returns when what is being sent is sent, or after ``stopTimeMax``.
    public func stop() async {
        isStopping = true
        let deadline = ContinuousClock.now + Self.stopTimeMax
        while underWay.values.contains(where: { $0 > 0 }), ContinuousClock.now < deadline {
            await loop.sleep(for: .milliseconds(20))
        }
    }

    /// One look at what is to be planned and what is due. Returns when that is begun.
    func turn() async throws {
        guard !available.isEmpty else { return }
        let at = now()
        // Each part by itself: one that fails does not hold up what follows.
        var failure: (any Error)?
        do { try await giveUpDoubtful(at: at) } catch { failure = error }
        do { try await putOffPresent(at: at) } catch { failure = error }
        // What is due does not wait for what is planned; what was planned to be sent at once does not wait for the next turn.
        for channel in available { do { try await pump(channel) } catch { failure = error } }
        do { try await plan(at: at) } catch { failure = error }
        for channel in available { do { try await pump(channel) } catch { failure = error } }
        if let failure { throw failure }
    }

    /// What a server had handed over, or was about to, when it died: a mail or a text message is not sent again, as nobody knows
    /// whether it was.
    private func giveUpDoubtful(at: Timestamp) async throws {
        let rows = try await database.query(
            """
            UPDATE reminders SET state = 'doubtful', sent_at = $1, error = 'the server that sent it died'
            WHERE state = 'sending' AND channel IN ('email', 'text') AND next_at <= $1 RETURNING channel
            """, [.timestamp(at.milliseconds)])
        for row in rows {
            guard let channel = ReminderChannel(rawValue: try row.text("channel")) else { continue }
            metrics.count(.doubtful, channel)
            logger.warning(
                "nobody knows whether a reminder was sent: a server died while it did",
                metadata: ["channel": "\(channel)"])
        }
    }

    /// Takes as many of what is due as there is room for. Others are taken when these are done.
    private func pump(_ channel: ReminderChannel) async throws {
        let room = (Self.concurrentMax[channel] ?? 1) - underWay[channel, default: 0]
        guard room > 0, !isStopping else { return }
        // Counted before the database is asked, so that two turns do not take twice as many.
        underWay[channel, default: 0] += room
        var taken = 0
        defer { underWay[channel, default: 0] -= room - taken }
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
        underWay[channel, default: 0] -= 1
        // What fails here the next turn tries again.
        if underWay[channel, default: 0] * 2 <= Self.concurrentMax[channel] ?? 1 { try? await pump(channel) }
    }

    // MARK: What became of one

    /// What is to be written down of a row.
    enum Settlement: Sendable, Equatable {
        case sent
        /// Not now, and not counted as a try.
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
            // Nothing left: what fails in ``attempt(_:)`` fails before that.
            settlement = .putOff(now().advanced(bySeconds: Self.retrySecondsFirst))
            logger.warning("a reminder could not be looked at", metadata: ["error": "\(error)"])
        }
        await settle(row, settlement, since: began)
    }

    /// In one statement: a server that dies between the two would leave an address that is gone switched on.
    private static let settleSQL = """
        WITH settled AS (
            UPDATE reminders SET state = $4, next_at = $5, sent_at = $6, error = $7, attempts = $8
            WHERE id = $1 AND node = $2 AND attempts = $3 AND state IN ('sending', 'doubtful'))
        UPDATE reminder_addresses SET state = 'dead', reason = $11
        WHERE id = $9::bigint AND created_at <= $10 AND state <> 'dead'
        """

    /// Writes down what became of a row, as soon as the database takes it. Another server that has taken it meanwhile keeps it.
    /// - Parameter began: An address that was set anew since is another.
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
                "nobody knows whether a reminder was sent",
                metadata: ["channel": "\(row.channel)", "reason": "\(reason)"])
        }
        return written
    }

    /// Seconds until the next try: twice as long each time, and not all at the same moment.
    static func delay(attempts: Int64, asked: Double?, random: Double = .random(in: 0.5...1.5)) -> Double {
        let doubled = retrySecondsFirst * Double(1 << min(max(attempts - 1, 0), 16))
        return max(min(doubled, retrySecondsMax) * random, min(asked ?? 0, retryAfterSecondsMax))
    }
}
