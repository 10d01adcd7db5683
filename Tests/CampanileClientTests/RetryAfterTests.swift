import Testing
import Wire

@testable import CampanileClient

@Suite("Waits that a server asks for")
struct RetryAfterTests {
    @Test(
        "whatever number a server gives, the wait is 0 to 300 seconds",
        arguments: [
            (0, Duration.zero), (0.25, .milliseconds(250)), (300, .seconds(300)), (301, .seconds(300)),
            (1e300, .seconds(300)), (.infinity, .seconds(300)), (-1, .zero), (-.infinity, .zero), (-1e300, .zero),
        ])
    func clamped(retryAfter: Double, expected: Duration) {
        #expect(RPCError(.unavailable, "away", retryAfter: retryAfter).retryDelay == expected)
    }

    @Test("no number, or what is none, leaves the wait to the client")
    func none() {
        #expect(RPCError(.unavailable, "away").retryDelay == nil)
        #expect(RPCError(.unavailable, "away", retryAfter: .nan).retryDelay == nil)
    }

    @Test(
        "of many who were told the same wait none connects early, and they do not all connect at once",
        arguments: [
            (0.0, Duration.seconds(1), Duration.seconds(1)), (0.5, .seconds(1), .milliseconds(1_500)),
            (1, .seconds(1), .seconds(2)), (1, .seconds(60), .seconds(65)),
        ])
    func spread(random: Double, asked: Duration, expected: Duration) {
        let backoff = Backoff(max: .seconds(5), random: { random })
        #expect(backoff.delay(askedFor: asked) == expected)
    }
}
