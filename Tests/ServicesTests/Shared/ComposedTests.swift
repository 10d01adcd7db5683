import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Titles and texts of events and notices are composed, and then measured")
struct ComposedTests {
    private func details(_ title: String, _ description: String? = nil) -> EventDetails {
        EventDetails(
            title: title, description: description, startsAt: Timestamp.now.advanced(bySeconds: 3_600), duration: 3_600,
            place: EventPlace(name: title))
    }

    @Test("What is as long as it may be once it is composed is taken, though it came in more pieces")
    func shorter() throws {
        let apart = String(repeating: "a\u{308}", count: 120)
        let notice = try NoticeDraft(title: apart, body: String(repeating: "a\u{308}", count: 4_000))
        #expect(notice.title.unicodeScalars.count == 120 && notice.body?.unicodeScalars.count == 4_000)
        let event = try EventDraft(details(apart, String(repeating: "e\u{301}", count: 2_000)), now: .now)
        #expect(event.title.unicodeScalars.count == 120 && event.place.unicodeScalars.count == 120)
        #expect(event.description?.unicodeScalars.count == 2_000)
    }

    @Test(
        "What gets longer by it is refused with the member at fault, and does not reach the database, which would refuse it"
    )
    func longer() async throws {
        // Composed, U+0958 is two scalars (it is excluded from composition).
        let grows = String(repeating: "\u{958}", count: 100)
        func field(_ body: () throws -> Void) -> String? {
            do { try body() } catch let error as RPCError { return error.data?.field } catch {}
            return nil
        }
        #expect(field { _ = try NoticeDraft(title: grows, body: nil) } == "title")
        #expect(field { _ = try NoticeDraft(title: "a", body: String(repeating: "\u{958}", count: 3_000)) } == "body")
        #expect(field { _ = try EventDraft(details(grows), now: .now) } == "details.title")
        #expect(
            field { _ = try EventDraft(details("a", String(repeating: "\u{958}", count: 1_500)), now: .now) }
                == "details.description")
    }

    @Test("What is far too long is not composed at all")
    func huge() {
        let apart = String(repeating: "a\u{308}", count: 100_000)
        #expect(Inputs.composed(apart, charactersMax: 120)?.unicodeScalars.count == 200_000)
        #expect(throws: RPCError.self) { try NoticeDraft(title: apart, body: nil) }
    }
}
