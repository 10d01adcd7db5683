import Testing
import Wire

@Suite("Strings that are one of a few")
struct WireChoiceTests {
    private struct Holder: Codable {
        var gender: Gender
        var preferences: [GenderPreference]
        var kind: SessionClock.Kind?
    }

    @Test("What is none of them is answered with those that are, and never repeated")
    func refused() throws {
        func message(_ json: String) -> String? {
            do {
                _ = try WireJSON.decode(Holder.self, from: Array(json.utf8))
                return nil
            } catch {
                return (error as? RPCError)?.message
            }
        }
        #expect(
            message(#"{"gender":"robot","preferences":[]}"#) == "gender: must be female or male or other")
        #expect(
            message(#"{"gender":"other","preferences":["any","Male"]}"#)
                == "preferences[1]: must be any or female or male or other")
        #expect(
            message(#"{"gender":"other","preferences":[],"kind":""}"#) == "kind: must be live or recorded")
        #expect(message(#"{"gender":7,"preferences":[]}"#) == "gender: has the wrong type, expected a string")
        #expect(message(#"{"gender":"other","preferences":["any"],"kind":"live"}"#) == nil)
    }

    @Test("They are written as they are read")
    func written() throws {
        let bytes = try WireJSON.encode(Holder(gender: .female, preferences: [.any], kind: .recorded))
        let read = try WireJSON.decode(Holder.self, from: bytes)
        #expect(read.gender == .female && read.preferences == [.any] && read.kind == .recorded)
    }
}
