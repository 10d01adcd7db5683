import Wire

/// What a reader of a lane reads from: follows the server over one connection after the other.
///
/// Isolation: an actor on its client's event loop.
protocol LaneFeed: Actor {
    nonisolated var client: ResilientClient { get }
    /// What nobody else on the client may read meanwhile.
    nonisolated var claimed: String { get }
    /// Nobody reads any more, or there is nothing more to come.
    var hasEnded: Bool { get }
    /// Requests in a row that the server would not answer now.
    var attempt: Int { get set }

    /// Follows until the connection ends or the reader goes. Sets ``attempt`` back when the server has answered.
    func follow(on connection: CampanileConnection) async throws
    /// Tells the reader.
    func end(_ error: any Error)
    /// Tells the server, as far as it was asked for something, that nobody reads any more.
    func stopFollowing() async
}

extension LaneFeed {
    /// Follows until it has ended. What passes is waited out; anything else ends it.
    func run() async {
        do {
            try await client.claim(claimed)
        } catch {
            return end(error)
        }
        while !hasEnded {
            do {
                try await follow(on: client.connected())
            } catch let error as RPCError where error.registered?.isRetryable == true {
                await pause(error.retryDelay)
            } catch ClientError.tooManyCalls {
                await pause(nil)
            } catch ClientError.disconnected {
                // Again on the next connection.
            } catch ClientError.timeout {
                // Asked again: a reply that comes too late does not count any more.
            } catch {
                end(error)
            }
        }
        await stopFollowing()
        await client.unclaim(claimed)
    }

    private func pause(_ delay: Duration?) async {
        await client.loop.sleep(for: delay ?? client.options.backoff.delay(attempt: attempt))
        attempt += 1
    }
}
