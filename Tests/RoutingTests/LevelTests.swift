import Testing

@testable import Routing

/// Simple Indoor Tagging: `level` and `repeat_on`.
@Suite("Levels")
struct LevelTests {
    @Test(
        "A list, a range, negative levels, fractions, decimal commas and names of the ground floor are levels",
        arguments: [
            ("0", ["0"]), ("-1", ["-1"]), ("2;0", ["0", "2"]), ("0-3", ["0", "1", "2", "3"]),
            ("-1-1", ["-1", "0", "1"]),
            ("-3--1", ["-3", "-2", "-1"]), ("0.5", ["0.5"]), ("0,5", ["0.5"]), ("0.25;1-2", ["0.25", "1", "2"]),
            ("3-1", ["1", "2", "3"]), ("0.5-2", ["0.5", "1.5", "2"]), ("GF", ["0"]), ("EG;1", ["0", "1"]),
            (" 1 ; 2 ", ["1", "2"]),
            ("+1", ["1"]), ("0.08", ["0.08"]), ("1;1", ["1"]), ("1;", ["1"]),
        ])
    func levels(_ text: String, _ expected: [String]) {
        #expect(LevelTags.levels(text).map(\.description) == expected)
    }

    @Test(
        "Any other text is no level, and neither is one out of range",
        arguments: [
            "", "x", "1.2345", "1e3", "--1", "1-x", "1;x", "999", "-0-999", "0-300", "١", "0x1", "1–2", "nan",
            "9999999999999999999",
        ])
    func unknown(_ text: String) {
        #expect(LevelTags.levels(text).isEmpty)
    }

    @Test("repeat_on adds levels, and bad values leave the others")
    func repeated() {
        #expect(LevelTags(["level": "0", "repeat_on": "2-3"]).all.map(\.description) == ["0", "2", "3"])
        #expect(LevelTags(["level": "1", "repeat_on": "x"]).all.map(\.description) == ["1"])
        #expect(LevelTags(["repeat_on": "2"]).all.map(\.description) == ["2"])
    }

    @Test("A staircase of two levels joins them again on the levels of repeat_on")
    func storeys() {
        func pairs(_ tags: [String: String]) -> [String] {
            RouteGraphBuilder.storeys(LevelTags(tags)).map { "\($0.low)>\($0.high)" }
        }
        #expect(pairs(["level": "0-1", "repeat_on": "1;2"]) == ["0>1", "1>2", "2>3"])
        #expect(pairs(["level": "-1;0.5;2"]) == ["-1>0.5", "0.5>2"])
        #expect(pairs([:]).isEmpty)
    }
}
