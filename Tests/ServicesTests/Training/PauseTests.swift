import Testing
import Wire

@testable import Services

@Suite("Pauses of a training")
struct PauseTests {
    private static let start = Timestamp(milliseconds: 1_795_000_000_000)

    private func at(_ minutes: Double) -> Timestamp { Self.start.advanced(bySeconds: minutes * 60) }

    /// Pauses in minutes after the start, ordered by the server after 60 minutes.
    private func ordered(_ pauses: [(Double, Double?)], end: Double? = nil) throws -> [[Double?]] {
        let given = pauses.map { TrainingPause(from: at($0), until: $1.map { at($0) }) }
        return try Pauses(given, from: Self.start, to: end.map { at($0) }, now: at(60)).list.map {
            [$0.from.seconds(since: Self.start) / 60, $0.until.map { $0.seconds(since: Self.start) / 60 }]
        }
    }

    @Test("A pause that begins ahead of the server's clock begins now")
    func ahead() throws {
        #expect(try ordered([(62, nil)]) == [[60, nil]])
        #expect(try ordered([(10, 20), (62, nil)]) == [[10, 20], [60, nil]])
        #expect(try ordered([(62, 63)]).isEmpty, "it has neither begun nor lasted by the server's clock")
        #expect(try ordered([(42, nil)], end: 40).isEmpty)
    }

    @Test("An open pause ends where the next one begins, which keeps its own end")
    func open() throws {
        #expect(try ordered([(10, nil), (20, 25)], end: 40) == [[10, 25]])
        #expect(try ordered([(10, nil), (20, 25), (30, nil)]) == [[10, 25], [30, nil]])
        #expect(try ordered([(10, nil), (20, 25), (30, 35)], end: 40) == [[10, 25], [30, 35]])
        #expect(try ordered([(10, nil), (10, nil)]) == [[10, nil]])
        #expect(try ordered([(10, 15), (12, nil)], end: 40) == [[10, 40]])
    }
}
