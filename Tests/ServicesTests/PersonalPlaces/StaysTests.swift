import Testing
import Wire

@testable import Services

@Suite("Where people are at the moment")
struct StaysTests {
    private static let hall = LocationPlace(kind: .building, id: 1, name: "Hall")

    @Test("Of who says nothing any more nothing is kept, and a stay that goes on is not cut by that")
    func silent() {
        var stays = Stays()
        for account in 1...10 as ClosedRange<Int64> {
            #expect(stays.note(account, at: Self.hall, at: 1_000) == nil)
        }
        for minute in 1...4 as ClosedRange<Int64> {
            _ = stays.note(1, at: Self.hall, at: 1_000 + minute * 60_000)
        }
        stays.forgetSilent(at: 1_000 + 240_000)
        #expect(stays.count == 1)
        #expect(stays.note(1, at: Self.hall, at: 1_000 + Stays.stayMilliseconds) == Self.hall)
        // A clock that was put back knows of no stay either.
        stays.forgetSilent(at: 0)
        #expect(stays.count == 0)
    }
}
