import Wire

/// A subscription for one reader that continues over successive connections.
///
/// Isolation: an actor on its client's event loop.
protocol ReaderSubscription: Actor {
    nonisolated var client: ResilientClient { get }
    /// Name of the topic or view that only one reader per client may use at a time.
    nonisolated var claimed: String { get }
    /// Whether the reader has left or no more data will arrive.
    var hasEnded: Bool { get }
    /// Number of consecutive retryable failures, for the backoff.
    var attempt: Int { get set }

    /// Subscribes and processes messages until the connection ends or the reader leaves. Resets ``attempt`` when the server has
    /// replied.
    func follow(on connection: CampanileConnection) async throws
    /// Ends the subscription and throws the error to the reader.
    func end(_ error: any Error)
    /// Unsubscribes on the server, if a subscription was requested.
    func stopFollowing() async
}

extension ReaderSubscription {
    /// Runs until the subscription has ended. Retries after temporary errors; any other error ends it.
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
                // Retry on the next connection.
            } catch ClientError.timeout {
                // Retry. A reply that arrives later is ignored.
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
