import Hub
import Testing
import WebSocket

@testable import Server

@Suite("State machines of a WebSocket session")
struct SessionStateTests {
    @Test("A session that has no room for requests stops reading once, and reads again when there is room")
    func full() {
        var intake = SessionIntake()
        #expect(intake.decoded(hasRoom: true, isCloseNext: false, isIdle: false).isEmpty)
        #expect(intake.decoded(hasRoom: false, isCloseNext: false, isIdle: false) == .stopReading)
        #expect(intake.state == .full && intake.isPaused && intake.waitsForReplies)
        #expect(intake.decoded(hasRoom: false, isCloseNext: false, isIdle: false).isEmpty)
        #expect(intake.answered(isIdle: false) == .schedule)
        intake.begin()
        #expect(intake.decoded(hasRoom: true, isCloseNext: false, isIdle: false) == .startReading)
        #expect(intake.state == .reading && !intake.waitsForReplies)
    }

    @Test("Input that is left to a later iteration is scheduled once, however often it is left")
    func scheduled() {
        var intake = SessionIntake()
        #expect(intake.postpone() == [.stopReading, .schedule])
        #expect(intake.postpone().isEmpty && intake.answered(isIdle: true).isEmpty)
        intake.begin()
        #expect(intake.state == .full)
        #expect(intake.postpone() == .schedule)
        // What arrives meanwhile is decoded; the scheduled iteration finds nothing to do.
        #expect(intake.decoded(hasRoom: false, isCloseNext: false, isIdle: false).isEmpty)
        #expect(intake.state == .scheduled)
        intake.begin()
        #expect(intake.decoded(hasRoom: true, isCloseNext: false, isIdle: true) == .startReading)
    }

    @Test("A close frame that waits for earlier requests is taken up again when they are answered")
    func closeWaits() {
        var intake = SessionIntake()
        #expect(intake.decoded(hasRoom: true, isCloseNext: true, isIdle: false).isEmpty)
        #expect(intake.isCloseWaiting && intake.waitsForReplies && !intake.isPaused)
        #expect(intake.answered(isIdle: true) == [.stopReading, .schedule])
        intake.begin()
        #expect(intake.decoded(hasRoom: true, isCloseNext: false, isIdle: true) == .startReading)
        #expect(!intake.isCloseWaiting)
    }

    @Test(
        "When the peer has ended its side nothing starts or stops reading, and the socket closes once all is answered")
    func peerEnded() {
        var intake = SessionIntake()
        intake.endPeer()
        #expect(intake.decoded(hasRoom: true, isCloseNext: false, isIdle: false).isEmpty)
        #expect(intake.answered(isIdle: false).isEmpty)
        #expect(intake.answered(isIdle: true) == .closeAfterFlush)
        #expect(intake.decoded(hasRoom: false, isCloseNext: false, isIdle: false).isEmpty && intake.isPaused)
        #expect(intake.postpone() == .schedule)
        intake.begin()
        #expect(intake.decoded(hasRoom: true, isCloseNext: false, isIdle: true) == .closeAfterFlush)
    }

    @Test(
        "Whatever happens, reading is stopped and started by turns, and a scheduled iteration is asked for at most once"
    )
    func random() {
        for seed in 0..<500 as Range<UInt64> {
            var generator = SplitMix(seed)
            var intake = SessionIntake()
            var (isReading, scheduled) = (true, 0)
            for _ in 0..<200 {
                let actions: SessionIntake.Actions
                switch generator.next() % 4 {
                case 0: actions = intake.postpone()
                case 1: actions = intake.answered(isIdle: generator.next() % 2 == 0)
                case 2:
                    if scheduled > 0 {
                        scheduled -= 1
                        intake.begin()
                    }
                    fallthrough
                default:
                    actions = intake.decoded(
                        hasRoom: generator.next() % 2 == 0, isCloseNext: generator.next() % 4 == 0, isIdle: false)
                }
                if actions.contains(.startReading) {
                    #expect(!isReading)
                    isReading = true
                }
                if actions.contains(.stopReading) {
                    #expect(isReading)
                    isReading = false
                }
                if actions.contains(.schedule) { scheduled += 1 }
                #expect(scheduled <= 1)
                #expect(isReading == !intake.isPaused)
                #expect(intake.state != .scheduled || scheduled > 0, "what waits for an iteration has one")
            }
        }
    }

    @Test("The first reason to leave holds, a close is made once, and nothing leads back")
    func end() {
        var end = SessionEnd.open
        #expect(end.leave(.goingAway, "first") && !end.leave(.policyViolation, "second"))
        #expect(end.farewell?.reason == "first" && !end.isClosed)
        #expect(end.close() && !end.close() && end.isClosed && end.farewell == nil)
        #expect(!end.leave(.goingAway, "late") && end.isClosed)
    }

    @Test("Requests are in flight one at a time, and both bounds of the queue end its room")
    func queue() {
        var requests = RequestQueue()
        let small = RequestQueue.Request(bytes: [1], isBinary: false)
        for _ in 0..<RequestQueue.countMax {
            #expect(requests.hasRoom)
            requests.append(small)
        }
        #expect(!requests.hasRoom && !requests.isIdle)
        #expect(requests.next() != nil && requests.next() == nil && requests.hasRoom && requests.isBusy)
        requests.finish()
        requests.removeAll()
        #expect(requests.isIdle && requests.next() == nil && !requests.isBusy)
        requests.append(
            RequestQueue.Request(bytes: [UInt8](repeating: 0, count: RequestQueue.bytesMax), isBinary: true))
        #expect(!requests.hasRoom)
        #expect(requests.next() != nil && requests.hasRoom)
    }

    @Test("A silent peer gets two pings and is gone at the third visit; any byte begins anew")
    func keepAlive() {
        var keepAlive = KeepAlive()
        #expect([keepAlive.visit(), keepAlive.visit(), keepAlive.visit()] == [.ping, .ping, .abort])
        keepAlive.received()
        #expect([keepAlive.visit(), keepAlive.visit(), keepAlive.visit()] == [.none, .ping, .ping])
    }

    @Test("A connection is slow when it skipped topics for two ticks, or again within two seconds")
    func skipped() {
        var skipped = SkippedTopics()
        let start: UInt64 = 10_000_000_000
        skipped.insert(.test(1), now: start)
        skipped.insert(.test(2), now: start + 1)
        #expect(skipped.contains(.test(1)) && !skipped.contains(.test(3)))
        let short = skipped.end(now: start + SkippedTopics.slowAfter.nanoseconds)
        #expect(short.topics == [.test(1), .test(2)] && !short.isSlow && skipped.isEmpty)
        skipped.insert(.test(1), now: start + 1_000_000_000)
        #expect(skipped.end(now: start + 1_000_000_001).isSlow, "again within two seconds")
        let later = start + 60_000_000_000
        skipped.insert(.test(1), now: later)
        #expect(skipped.end(now: later + SkippedTopics.slowAfter.nanoseconds + 1).isSlow)
    }
}

/// Random numbers that a seed determines (SplitMix64).
private struct SplitMix: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
