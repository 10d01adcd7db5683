import Dispatch
import Synchronization
import Testing

@testable import EventLoop

@Suite("Event loop")
struct EventLoopTests {
    @Test("work handed to a loop runs in the order it came, on the loop")
    func inboxKeepsOrder() async throws {
        let loop = try EventLoop(label: "test")
        let seen = Mutex<[Int]>([])
        for number in 0..<1_000 {
            loop.execute {
                loop.preconditionIsolated()
                seen.withLock { $0.append(number) }
            }
        }
        await withCheckedContinuation { done in loop.execute { done.resume() } }
        #expect(seen.withLock { $0 } == Array(0..<1_000))
    }

    @Test("an actor whose executor is a loop runs on that loop's queue")
    func actorRunsOnLoop() async throws {
        actor Resident {
            let loop: EventLoop
            nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
            init(loop: EventLoop) { self.loop = loop }
            func check() -> Int {
                loop.preconditionIsolated()
                return 7
            }
        }
        let resident = Resident(loop: try EventLoop(label: "test"))
        #expect(await resident.check() == 7)
    }

    @Test("timers fire in deadline order, and a cancelled one does not fire")
    func timersFireInOrder() async throws {
        let loop = try EventLoop(label: "test")
        let fired = Mutex<[String]>([])
        await withCheckedContinuation { done in
            loop.execute {
                loop.schedule(after: .milliseconds(20)) {
                    fired.withLock { $0.append("late") }
                    done.resume()
                }
                loop.schedule(after: .milliseconds(5)) { fired.withLock { $0.append("early") } }
                loop.schedule(after: .milliseconds(10)) { fired.withLock { $0.append("cancelled") } }.cancel()
            }
        }
        #expect(fired.withLock { $0 } == ["early", "late"])
    }

    @Test("a cancelled task sleeps no longer, and one cancelled before does not sleep", .timeLimit(.minutes(1)))
    func cancelledSleep() async throws {
        let loop = try EventLoop(label: "test")
        let task = Task { await loop.sleep(for: .seconds(3_600)) }
        var isAsleep = false
        while !isAsleep {
            isAsleep = await withCheckedContinuation { seen in
                loop.execute { seen.resume(returning: loop.timers.count == 1) }
            }
        }
        task.cancel()
        await task.value
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await loop.sleep(for: .seconds(3_600))
        }
        await early.value
    }

    @Test("a loop goes once nobody uses it any more, also when somebody slept on it")
    func loopGoes() async throws {
        weak var gone: EventLoop?
        do {
            let loop = try EventLoop(label: "test")
            gone = loop
            let task = Task { await loop.sleep(for: .seconds(3_600)) }
            task.cancel()
            await task.value
        }
        // Its last turn may hold it for a moment.
        for _ in 0..<2_000 where gone != nil { try await Task.sleep(for: .milliseconds(20)) }
        #expect(gone == nil)
    }

    @Test("a full worker pool refuses more work at once, and finishes what it took")
    func workerPoolIsBounded() async throws {
        let pool = WorkerPool(label: "test", concurrentMax: 1, waitingMax: 0)
        let gate = DispatchSemaphore(value: 0)
        let blocked = Mutex<Task<Int, any Error>?>(nil)
        await withCheckedContinuation { started in
            blocked.withLock {
                $0 = Task {
                    try await pool.run {
                        started.resume()
                        gate.wait()
                        return 1
                    }
                }
            }
        }
        await #expect(throws: WorkerPool.Overloaded.self) { try await pool.run { 2 } }
        gate.signal()
        #expect(try await blocked.withLock { $0 }?.value == 1)
        #expect(try await pool.run { 3 } == 3)
    }

    @Test(
        "a worker frees its slot before it delivers the result: a caller is never refused because of its own finished work"
    )
    func workerPoolFreesFirst() async throws {
        let pool = WorkerPool(label: "test", concurrentMax: 1, waitingMax: 0)
        for number in 0..<2_000 { #expect(try await pool.run { number } == number) }
    }
}
