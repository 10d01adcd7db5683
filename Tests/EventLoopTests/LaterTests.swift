import Synchronization
import Testing

@testable import EventLoop

@Suite("Work that may wait")
struct LaterTests {
    /// As long as a turn may take.
    private static func work() {
        let start = EventLoop.nowNanoseconds
        while EventLoop.nowNanoseconds - start <= EventLoop.iterationNanosecondsMax {}
    }

    @Test("Long pieces are run one a turn, in order, and what others ask meanwhile comes between them")
    func pieces() async throws {
        let loop = try EventLoop(label: "test")
        let seen = Mutex<[String]>([])
        let iterations = Mutex<Set<UInt64>>([])
        await withCheckedContinuation { done in
            loop.execute {
                for piece in 0..<5 {
                    loop.executeDeferred {
                        seen.withLock { $0.append("piece \(piece)") }
                        _ = iterations.withLock { $0.insert(loop.iterationStart) }
                        loop.execute { seen.withLock { $0.append("asked \(piece)") } }
                        Self.work()
                        if piece == 4 { loop.execute { done.resume() } }
                    }
                }
            }
        }
        #expect(seen.withLock { $0 } == (0..<5).flatMap { ["piece \($0)", "asked \($0)"] })
        #expect(iterations.withLock { $0.count } == 5)
    }

    @Test("Short pieces share a turn, and those that put themselves off again wait for the next")
    func shortPieces() async throws {
        let loop = try EventLoop(label: "test")
        let iterations = Mutex<[UInt64]>([])
        await withCheckedContinuation { done in
            loop.execute {
                loop.executeDeferred {
                    iterations.withLock { $0.append(loop.iterationStart) }
                    loop.executeDeferred {
                        iterations.withLock { $0.append(loop.iterationStart) }
                        done.resume()
                    }
                }
                loop.executeDeferred { iterations.withLock { $0.append(loop.iterationStart) } }
            }
        }
        let seen = iterations.withLock { $0 }
        #expect(seen.count == 3 && seen[0] == seen[1] && seen[1] != seen[2])
    }

    @Test("Tasks that yield when the turn is long take turns")
    func yielding() async throws {
        final class Seen: Sendable {
            let names = Mutex<[String]>([])
        }
        let loop = try EventLoop(label: "test")
        let seen = Seen()
        @Sendable func run(_ name: String) async {
            for _ in 0..<3 {
                seen.names.withLock { $0.append(name) }
                Self.work()
                await loop.yieldIfIterationIsLong()
                loop.preconditionIsolated()
            }
        }
        await withCheckedContinuation { done in
            // Both are there before one of them runs.
            loop.execute {
                Task(executorPreference: loop) { await run("a") }
                Task(executorPreference: loop) {
                    await run("b")
                    done.resume()
                }
            }
        }
        #expect(seen.names.withLock { $0 } == ["a", "b", "a", "b", "a", "b"])
    }
}
