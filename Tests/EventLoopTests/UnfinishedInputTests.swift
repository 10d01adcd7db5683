import Synchronization
import Testing

@testable import EventLoop

/// Holds what it is told to.
private final class Holder: IncompleteInputOwner {
    let loop: EventLoop
    var unfinished = IncompleteInputState()
    private(set) var givenUp: IncompleteInputLimiter.Excess?
    private let onGivenUp: () -> Void

    init(_ loop: EventLoop, onGivenUp: @escaping () -> Void = {}) {
        self.loop = loop
        self.onGivenUp = onGivenUp
    }

    func hold(_ bytes: Int, isAnother: Bool = false) {
        loop.unfinishedInput.update(self, bytes: bytes, isAnother: isAnother)
    }

    func giveUpUnfinished(_ excess: IncompleteInputLimiter.Excess) {
        givenUp = excess
        hold(0)
        onGivenUp()
    }
}

@Suite("What peers do not finish")
struct UnfinishedInputTests {
    private func onLoop(_ body: @escaping @Sendable (EventLoop) -> Void) async throws {
        let loop = try EventLoop(label: "unfinished")
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            loop.execute {
                body(loop)
                done.resume()
            }
        }
    }

    @Test("beyond the size the oldest goes, and who has begun anew is not the oldest any more")
    func oldestFirst() async throws {
        try await onLoop { loop in
            loop.unfinishedInput.bytesMax = 300
            let holders = (0..<3).map { _ in Holder(loop) }
            for holder in holders { holder.hold(100) }
            #expect(loop.unfinishedInput.bytes == 300)
            holders[0].hold(100, isAnother: true)
            holders[2].hold(101)
            #expect(holders[1].givenUp == .memory && loop.unfinishedInput.bytes == 201)
            holders[0].hold(250)
            #expect(holders[2].givenUp == .memory && holders[0].givenUp == nil)
            holders[0].hold(301)
            #expect(holders[0].givenUp == .memory && loop.unfinishedInput.bytes == 0)
        }
    }

    @Test("what is finished counts no more, however many there were, and who is gone is in nobody's way")
    func finished() async throws {
        try await onLoop { loop in
            loop.unfinishedInput.bytesMax = 100
            let holder = Holder(loop)
            for _ in 0..<10_000 {
                holder.hold(60)
                holder.hold(0)
            }
            #expect(loop.unfinishedInput.bytes == 0 && holder.givenUp == nil)
            for _ in 0..<1_000 {
                let gone = Holder(loop)
                gone.hold(1)
                gone.hold(0)
            }
            holder.hold(100)
            #expect(holder.givenUp == nil)
        }
    }

    @Test("what takes too long is given up, though more of it comes all the time")
    func overdue() async throws {
        let loop = try EventLoop(label: "unfinished")
        let excess = await withCheckedContinuation {
            (done: CheckedContinuation<IncompleteInputLimiter.Excess?, Never>) in
            loop.execute {
                loop.unfinishedInput.timeMax = .milliseconds(50)
                weak var found: Holder?
                let holder = Holder(loop) { done.resume(returning: found?.givenUp) }
                found = holder
                func goOn(_ bytes: Int) {
                    guard holder.givenUp == nil else { return }
                    holder.hold(bytes)
                    loop.schedule(after: .milliseconds(5)) { goOn(bytes + 1) }
                }
                goOn(1)
            }
        }
        #expect(excess == .time)
    }
}
