import Bus
import Testing

@Suite struct SubjectTests {
    @Test(
        "A topic's path becomes tokens",
        arguments: [
            ("session/42", "session.42"), ("zone/7/positions", "zone.7.positions"),
            ("campus/notices", "campus.notices"),
            ("share/a_b-C", "share.a_b-C"),
        ])
    func plain(_ topic: String, _ spelled: String) throws {
        let subject = try Subject(topic: topic)
        #expect(subject.description == spelled)
        #expect(subject.topic == topic)
    }

    @Test(
        "What a token cannot have is escaped, so that every text has one spelling and reads back",
        arguments: [
            "Grüße", "a b", "=41", "$SYS", "tab\there", "nul\0", "\u{1F3C3}", "%2E",
        ])
    func escaped(_ token: String) throws {
        let subject = try Subject(["user", token])
        let rest = subject.description.dropFirst("user.".count)
        #expect(
            rest.utf8.allSatisfy { byte in
                "=-_".utf8.contains(byte) || (48...57).contains(byte) || (65...90).contains(byte)
                    || (97...122).contains(byte)
            })
        #expect(subject.tokens == ["user", token])
    }

    @Test(
        "Dots, wildcards, empty tokens and subjects beyond the limits are refused",
        arguments: [
            "a.b", "*", ">", "a*", "session/", "/session", "", "a//b", "session/>",
        ])
    func refused(_ topic: String) {
        #expect(throws: BusError.self) { try Subject(topic: topic) }
    }

    @Test("A subject has at most as many bytes and tokens as the limits say")
    func limits() throws {
        _ = try Subject([String(repeating: "x", count: Subject.subjectBytesMax)])
        #expect(throws: BusError.self) { try Subject([String(repeating: "x", count: Subject.subjectBytesMax + 1)]) }
        #expect(throws: BusError.self) { try Subject([String(repeating: " ", count: Subject.subjectBytesMax / 2)]) }
        #expect(throws: BusError.self) { try Subject(Array(repeating: "x", count: Subject.tokensMax + 1)) }
    }

    @Test(
        "A pattern matches the subjects it stands for",
        arguments: [
            ("session/42", "session/42", true), ("session/42", "session/4", false), ("session/*", "session/42", true),
            ("session/*", "session", false), ("session/*", "session/4/2", false),
            ("zone/*/positions", "zone/7/positions", true),
            ("zone/*/positions", "zone/7/notices", false), ("zone/>", "zone/7/positions", true),
            ("zone/>", "zone", false),
            (">", "zone", true), ("*/7", "zone/7", true),
        ])
    func matching(_ pattern: String, _ topic: String, _ matches: Bool) throws {
        #expect(try SubjectPattern(topic: pattern).matches(Subject(topic: topic)) == matches)
    }

    @Test(
        "A pattern with a wildcard within a token, or that goes on after >, is refused",
        arguments: ["a*", "a/>/b", "a/b>"])
    func patterns(_ pattern: String) {
        #expect(throws: BusError.self) { try SubjectPattern(topic: pattern) }
    }
}
