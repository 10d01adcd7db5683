import Foundation
import Testing
import Training
import Wire

@Suite("Check of plans")
struct PlanCheckTests {
    private static func id(_ number: Int) -> String {
        let digits = String(number)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    private static func entry(_ number: Int, sets: [PlannedSet] = [PlannedSet(reps: 8)], rest: Int = 60) -> WorkoutEntry
    {
        WorkoutEntry(id: id(number), exercise: "campanile/squat", sets: sets, restSeconds: rest)
    }

    private static func plan(_ entries: [[WorkoutEntry]] = [[entry(1)]]) -> WorkoutPlan {
        WorkoutPlan(
            title: "Legs", type: .strength, intensity: .moderate, minutes: 20, place: .anywhere, equipment: [],
            tags: [],
            sections: [WorkoutSection(kind: .main, groups: entries.map { WorkoutGroup(entries: $0) })], videos: [])
    }

    private static func fault(_ change: (inout WorkoutPlan) -> Void) -> String? {
        var plan = plan()
        change(&plan)
        do {
            _ = try PlanCheck.check(plan)
            return nil
        } catch {
            return error.data?.field
        }
    }

    @Test(
        "A plan is returned with trimmed texts, distinct tags and equipment, lower-case ids and without a place's name")
    func normalised() throws {
        var plan = Self.plan()
        plan.title = "  Legs \n"
        plan.description = " "
        plan.destination = "campus/12"
        plan.destinationName = "Forged"
        plan.equipment = [.mat, .barbell, .mat]
        plan.tags = ["Legs", " legs ", "heavy"]
        plan.sections[0].groups[0].entries[0].id = "ABCDEF00-0000-4000-8000-000000000001"
        plan.videos = [VideoLink(title: " Squat ", url: " https://example.org/v?x=1 ", section: .main)]
        let checked = try PlanCheck.check(plan)
        #expect(checked.title == "Legs" && checked.description == nil && checked.destinationName == nil)
        #expect(checked.equipment == [.barbell, .mat] && checked.tags == ["Legs", "heavy"])
        #expect(checked.sections[0].groups[0].entries[0].id == "abcdef00-0000-4000-8000-000000000001")
        #expect(checked.videos == [VideoLink(title: "Squat", url: "https://example.org/v?x=1", section: .main)])
        #expect(try PlanCheck.check(checked) == checked)
    }

    @Test("Titles and tags are one line that shows something, without characters that turn other text around")
    func lines() {
        for bad in ["Legs\nday", "Legs\u{2028}day", "\u{202E}sgeL", "a\u{2066}b", "\u{7}Legs", "\u{200B}\u{2060}"] {
            #expect(Self.fault { $0.title = bad } == "plan.title", "\(bad.debugDescription)")
            #expect(Self.fault { $0.tags = ["x", bad] } == "plan.tags[1]", "\(bad.debugDescription)")
            let video = VideoLink(title: bad, url: "https://example.org/v", section: .main)
            #expect(Self.fault { $0.videos = [video] } == "plan.videos[0].title", "\(bad.debugDescription)")
        }
        let note = "plan.sections[0].groups[0].entries[0].note"
        for text in ["Slowly.\nThen faster.", "a\tb", "\u{202E}sgeL"] {
            #expect(Self.fault { $0.description = text } == nil)
            #expect(Self.fault { $0.sections[0].groups[0].entries[0].note = text } == nil)
        }
        for bad in ["a\u{1B}[2Jb", "a\u{0}b", "a\u{7F}b", "a\u{85}b", "a\rb"] {
            #expect(Self.fault { $0.description = bad } == "plan.description", "\(bad.debugDescription)")
            #expect(Self.fault { $0.sections[0].groups[0].entries[0].note = bad } == note, "\(bad.debugDescription)")
        }
        #expect(Self.fault { $0.title = "Beine 🦵" } == nil)
    }

    @Test("Texts, minutes, tags, equipment and the place are refused beyond their limits, with the field")
    func texts() {
        let long = String(repeating: "a", count: 3_000)
        #expect(Self.fault { $0.title = " " } == "plan.title")
        #expect(Self.fault { $0.title = long } == "plan.title")
        #expect(Self.fault { $0.title = "a\0b" } == "plan.title")
        #expect(Self.fault { $0.title = String(repeating: "😀", count: 80) } == nil)
        #expect(Self.fault { $0.title = String(repeating: "😀", count: 81) } == "plan.title")
        #expect(Self.fault { $0.description = long } == "plan.description")
        for minutes in [0, 601, -1, Int.min, Int.max] { #expect(Self.fault { $0.minutes = minutes } == "plan.minutes") }
        #expect(Self.fault { $0.tags = (0...10).map { "t\($0)" } } == "plan.tags")
        #expect(Self.fault { $0.tags = ["a", ""] } == "plan.tags[1]")
        #expect(Self.fault { $0.equipment = Array(repeating: .mat, count: 500) } == "plan.equipment")
        #expect(Self.fault { $0.destination = "" } == "plan.destination")
        #expect(Self.fault { $0.destination = long } == "plan.destination")
    }

    @Test("Sections are 1 to 3 of distinct kinds in their order, with 1 to 60 entries and at most 300 sets")
    func sections() {
        func section(_ kind: SectionKind, _ number: Int) -> WorkoutSection {
            WorkoutSection(kind: kind, groups: [WorkoutGroup(entries: [Self.entry(number)])])
        }
        #expect(Self.fault { $0.sections = [] } == "plan.sections")
        #expect(Self.fault { $0.sections = [section(.main, 1), section(.warmUp, 2)] } == "plan.sections")
        #expect(Self.fault { $0.sections = [section(.main, 1), section(.main, 2)] } == "plan.sections")
        #expect(Self.fault { $0.sections = [section(.warmUp, 1), section(.main, 2), section(.coolDown, 3)] } == nil)
        #expect(Self.fault { $0.sections = [WorkoutSection(kind: .main, groups: [])] } == "plan.sections")
        let many = (0..<61).map { [Self.entry($0)] }
        #expect(Self.fault { $0 = Self.plan(Array(many.prefix(60))) } == nil)
        #expect(Self.fault { $0 = Self.plan(many) } == "plan.sections")
        #expect(Self.fault { $0 = Self.plan(Array(repeating: [], count: 100_000)) } == "plan.sections")
        let sets = Array(repeating: PlannedSet(reps: 1), count: 20)
        #expect(Self.fault { $0 = Self.plan((0..<15).map { [Self.entry($0, sets: sets)] }) } == nil)
        #expect(Self.fault { $0 = Self.plan((0..<16).map { [Self.entry($0, sets: sets)] }) } == "plan.sections")
    }

    @Test("Entries have a UUID of their own, 1 to 20 sets, and values in their ranges")
    func entries() {
        let first = "plan.sections[0].groups[0].entries"
        func fault(_ entries: [WorkoutEntry]) -> String? { Self.fault { $0 = Self.plan([entries]) } }
        #expect(fault([]) == "plan.sections")
        #expect(fault((0..<6).map { Self.entry($0) }) == first)
        #expect(fault([Self.entry(1), Self.entry(1)]) == first + "[1].id")
        var other = Self.entry(1)
        other.id = "x"
        #expect(fault([other]) == first + "[0].id")
        other = Self.entry(1)
        other.exercise = String(repeating: "e", count: 121)
        #expect(fault([other]) == first + "[0].exercise")
        other = Self.entry(1)
        other.note = String(repeating: "n", count: 201)
        #expect(fault([other]) == first + "[0].note")
        #expect(fault([Self.entry(1, sets: [])]) == first + "[0].sets")
        #expect(fault([Self.entry(1, sets: Array(repeating: PlannedSet(), count: 21))]) == first + "[0].sets")
        for rest in [-1, 3_601, Int.max, Int.min] {
            #expect(fault([Self.entry(1, rest: rest)]) == first + "[0].restSeconds")
        }
        for reps in [-1, 1_001, Int.max, Int.min] {
            #expect(fault([Self.entry(1, sets: [PlannedSet(reps: reps)])]) == first + "[0].sets[0].reps")
        }
        for value in [-0.1, Double.nan, .infinity, -.infinity, 1e308] {
            #expect(fault([Self.entry(1, sets: [PlannedSet(kilograms: value)])]) == first + "[0].sets[0].kilograms")
            #expect(fault([Self.entry(1, sets: [PlannedSet(seconds: value)])]) == first + "[0].sets[0].seconds")
            #expect(fault([Self.entry(1, sets: [PlannedSet(metres: value)])]) == first + "[0].sets[0].metres")
        }
        #expect(
            fault([Self.entry(1, sets: [PlannedSet(reps: 0, kilograms: 1_000, seconds: 86_400, metres: 1_000_000)])])
                == nil)
    }

    @Test(
        "Videos are addresses with https and a host, without user data, blanks and markup",
        arguments: [
            ("https://example.org/a", true), ("HTTPS://example.org", true), ("https://[::1]/x", true),
            ("http://example.org", false), ("javascript:alert(1)", false), ("https://", false), ("https:///x", false),
            ("https://u:p@example.org", false), ("https://example.org/a b", false),
            ("https://example.org/\"><script>", false),
            ("https://exämple.org", false), ("", false), ("https://example.org/\u{0}", false),
        ])
    func videos(address: String, isAllowed: Bool) {
        let fault = Self.fault { $0.videos = [VideoLink(title: "V", url: address)] }
        #expect((fault == nil) == isAllowed, "\(fault ?? "")")
    }

    @Test("At most 6 videos, each with a title and an address within the limits")
    func videoLimits() {
        let video = VideoLink(title: "V", url: "https://example.org")
        #expect(Self.fault { $0.videos = Array(repeating: video, count: 6) } == nil)
        #expect(Self.fault { $0.videos = Array(repeating: video, count: 7) } == "plan.videos")
        #expect(Self.fault { $0.videos = [VideoLink(title: " ", url: video.url)] } == "plan.videos[0].title")
        let long = VideoLink(title: "V", url: "https://example.org/" + String(repeating: "a", count: 500))
        #expect(Self.fault { $0.videos = [long] } == "plan.videos[0].url")
    }
}
