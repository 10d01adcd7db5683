import Campus
import Testing
import Wire

@Suite("When an end in a hidden place is published")
struct HiddenEndClockTests {
    @Test(
        "At the first full quarter of an hour since viewers last saw the owner, also when a clock was put back",
        arguments: [(0, 900), (1, 900), (899, 900), (900, 900), (901, 1_800), (86_400, 86_400), (-500, 900)])
    func quarters(event: Int, publication: Int) {
        let seen = Timestamp(milliseconds: 1_700_000_123_456)
        let clock = HiddenEndClock(lastSeen: seen)
        #expect(
            clock.publication(of: seen.advanced(bySeconds: Double(event)))
                == seen.advanced(bySeconds: Double(publication)))
    }
}
