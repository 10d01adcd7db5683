import Testing
import Training
import Wire

@Suite("Rules that exclude exercises")
struct RuleTests {
    private static func excluded(_ id: String, _ area: BodyArea) throws -> Bool {
        let exercise = try #require(Catalogues.all.first { $0.id == id }, "\(id)")
        return ExclusionRules.loadedAreas(of: exercise).contains(area)
    }

    private static func excluded(_ id: String, _ condition: HealthCondition) throws -> Bool {
        let exercise = try #require(Catalogues.all.first { $0.id == id }, "\(id)")
        return ExclusionRules.exclusion(of: exercise, for: Body(conditions: [condition])) != nil
    }

    @Test("Each area and each condition has a rule; ids are distinct; each has a sentence and a source")
    func table() {
        let rules = ExclusionRules.rules
        #expect(Set(rules.compactMap(\.area)) == Set(BodyArea.allCases))
        #expect(Set(rules.compactMap(\.condition)) == Set(HealthCondition.allCases))
        #expect(Set(rules.map(\.id)).count == rules.count)
        for rule in rules {
            #expect((rule.area == nil) != (rule.condition == nil))
            #expect(rule.reason.hasSuffix(".") && rule.reason.count <= 160 && !rule.source.isEmpty, "\(rule.id)")
        }
    }

    @Test(
        "Known loads of own exercises exclude them, and unrelated exercises stay",
        arguments: [
            ("dumbbell-shoulder-press", BodyArea.shoulder, true), ("dumbbell-shoulder-press", .neck, true),
            ("dumbbell-shoulder-press", .knee, false), ("box-jump", .knee, true), ("box-jump", .ankle, true),
            ("box-jump", .foot, true), ("box-jump", .hip, true), ("box-jump", .lowerBack, true),
            ("crunch", .neck, true),
            ("crunch", .lowerBack, true), ("crunch", .abdomen, true), ("crunch", .knee, false),
            ("crunch", .ankle, false),
            ("push-up", .wrist, true), ("push-up", .chest, true), ("push-up", .ankle, false), ("squat", .knee, true),
            ("squat", .shoulder, false), ("dumbbell-curl", .elbow, true), ("dumbbell-curl", .knee, false),
            ("calf-raise", .calf, true), ("calf-raise", .shoulder, false), ("easy-breaststroke", .knee, true),
            ("front-crawl", .shoulder, true), ("front-crawl", .knee, false), ("stationary-cycling", .foot, false),
            ("easy-cycling", .ankle, true), ("pull-up", .hand, true), ("brisk-walk", .knee, false),
            ("easy-cycling", .knee, false), ("steady-run", .knee, true), ("glute-bridge", .wrist, false),
            ("barbell-row", .upperBack, true), ("hamstring-stretch", .thigh, true),
            ("hamstring-stretch", .shoulder, false),
        ] as [(String, BodyArea, Bool)])
    func areas(slug: String, area: BodyArea, isExcluded: Bool) throws {
        #expect(try Self.excluded("campanile/" + slug, area) == isExcluded)
    }

    @Test(
        "Known hazards of conditions exclude exercises, and harmless ones stay",
        arguments: [
            ("glute-bridge", HealthCondition.pregnancy, true), ("back-extension", .pregnancy, true),
            ("box-jump", .pregnancy, true), ("barbell-deadlift", .pregnancy, true), ("brisk-walk", .pregnancy, false),
            ("water-aerobics", .pregnancy, false), ("easy-backstroke", .pregnancy, false),
            ("band-row", .pregnancy, false),
            ("barbell-deadlift", .hypertension, true), ("wall-sit", .hypertension, true),
            ("walk", .hypertension, false),
            ("pike-push-up", .glaucoma, true), ("inchworm", .glaucoma, true), ("dumbbell-curl", .glaucoma, false),
            ("russian-twist", .osteoporosis, true), ("childs-pose", .osteoporosis, true),
            ("squat-jump", .osteoporosis, true),
            ("squat", .osteoporosis, false), ("barbell-deadlift", .hernia, true), ("easy-front-crawl", .epilepsy, true),
            ("stationary-cycling", .epilepsy, false), ("outdoor-cycling", .epilepsy, true), ("burpee", .vertigo, true),
            ("single-leg-stand", .vertigo, true), ("steady-run", .heartDisease, true), ("walk", .heartDisease, false),
            ("steady-run", .asthma, true), ("easy-run", .asthma, false), ("easy-run", .postpartum, true),
            ("easy-run", .arthritis, true), ("steady-run", .anaemia, true), ("powerlifting-squat", .diabetes, true),
        ] as [(String, HealthCondition, Bool)])
    func conditions(slug: String, condition: HealthCondition, isExcluded: Bool) throws {
        #expect(try Self.excluded("campanile/" + slug, condition) == isExcluded)
    }

    @Test("Names and steps of imported exercises reveal their loads", .enabled(if: Catalogues.isPresent))
    func imported() throws {
        func check(_ name: String, _ areas: Set<BodyArea>) throws {
            let exercise = try #require(Catalogues.imported.first { $0.name == name }, "\(name)")
            let missing = areas.subtracting(ExclusionRules.loadedAreas(of: exercise))
            #expect(missing.isEmpty, "\(name): \(missing)")
        }
        try check("Standing Military Press", [.shoulder, .neck, .elbow, .wrist])
        try check("Depth Jump Leap", [.knee, .ankle, .foot, .hip, .lowerBack])
        try check("Crunches", [.neck, .lowerBack, .abdomen])
        try check("Power Clean", [.lowerBack, .knee, .shoulder, .wrist, .hip])
        try check("Farmer's Walk", [.hand, .lowerBack, .foot])
        try check("Rope Climb", [.shoulder, .elbow, .hand])
        try check("Good Morning", [.lowerBack])
        try check("Barbell Deadlift", [.lowerBack, .hip, .thigh, .hand])
        try check("Rowing, Stationary", [.knee, .lowerBack, .shoulder])
        let supine = try #require(Catalogues.imported.first { $0.name == "Dumbbell Flyes" })
        #expect(ExclusionRules.exclusion(of: supine, for: Body(conditions: [.pregnancy])) != nil)
    }

    @Test(
        "No area and no condition excludes everything, and each excludes something", .enabled(if: Catalogues.isPresent))
    func proportions() {
        let traits = Catalogues.all.map { ExerciseTraits(of: $0) }
        let bodies =
            BodyArea.allCases.map { ("\($0)", Body(injuries: [ActiveInjury(area: $0, type: .sprain)])) }
            + HealthCondition.allCases.map { ("\($0)", Body(conditions: [$0])) }
        for (name, body) in bodies {
            let share =
                Double(traits.count { ExclusionRules.exclusion(of: $0, for: body) != nil }) / Double(traits.count)
            #expect((0.01...0.8).contains(share), "\(name): \(share)")
        }
    }

    @Test("An exclusion names the area or the condition, and a healthy body has none")
    func exclusion() throws {
        let squat = try #require(ExerciseCatalogue.own.first { $0.id == "campanile/squat" })
        #expect(ExclusionRules.exclusion(of: squat, for: Body()) == nil)
        let injured = Body(injuries: [ActiveInjury(area: .knee, type: .surgery)], conditions: [.epilepsy])
        let exclusion = try #require(ExclusionRules.exclusion(of: squat, for: injured))
        #expect(exclusion.area == .knee && exclusion.condition == nil && exclusion.source.contains("Knee"))
    }

    @Test("An injury counts from its first to its last day, and without an end it still counts")
    func days() {
        func body(_ day: String) -> Body {
            let injuries = [
                Injury(id: "1", type: .sprain, area: .ankle, from: "2026-11-10", until: "2026-11-20"),
                Injury(id: "2", type: .pain, area: .neck, from: "2026-11-15"),
            ]
            let data = BodyData(injuries: injuries, conditions: [], goals: [], asksLastPeriod: false, isStale: false)
            return Body(data, on: day...day, age: 30, sex: .female, kilograms: nil)
        }
        #expect(body("2026-11-09").injuries.isEmpty)
        #expect(body("2026-11-10").injuries.map(\.area) == [.ankle])
        #expect(body("2026-11-20").injuries.map(\.area) == [.ankle, .neck])
        #expect(body("2027-01-01").injuries.map(\.area) == [.neck])
    }

    @Test("An injury counts while one of the days of the time zones is one of its days")
    func zones() {
        func areas(_ days: ClosedRange<String>) -> [BodyArea] {
            let injuries = [
                Injury(id: "1", type: .sprain, area: .ankle, from: "2026-11-10", until: "2026-11-20"),
                Injury(id: "2", type: .pain, area: .neck, from: "2026-11-21"),
            ]
            let data = BodyData(injuries: injuries, conditions: [], goals: [], asksLastPeriod: false, isStale: false)
            return Body(data, on: days, age: 30, sex: .female, kilograms: nil).injuries.map(\.area)
        }
        #expect(areas("2026-11-08"..."2026-11-09").isEmpty)
        #expect(areas("2026-11-09"..."2026-11-10") == [.ankle])
        #expect(areas("2026-11-20"..."2026-11-21") == [.ankle, .neck])
        #expect(areas("2026-11-21"..."2026-11-22") == [.neck])
    }

    @Test("A pregnancy that is stated in place of the last period excludes as the condition does")
    func pregnancy() throws {
        func body(_ period: LastPeriod?, _ conditions: [HealthCondition] = []) -> Body {
            let data = BodyData(
                injuries: [], conditions: conditions, goals: [], lastPeriod: period, asksLastPeriod: true,
                isStale: false)
            return Body(data, on: "2026-11-28"..."2026-11-28", age: 30, sex: .female, kilograms: nil)
        }
        let stated = body(.init(skipped: .pregnant), [.asthma])
        #expect(stated.conditions == [.asthma, .pregnancy])
        #expect(body(.init(skipped: .pregnant), [.pregnancy]).conditions == [.pregnancy])
        for other in [LastPeriod(skipped: .unsure), .init(date: "2026-11-02"), nil] as [LastPeriod?] {
            #expect(body(other).conditions.isEmpty)
        }
        let excluded = ExerciseCatalogue.own.compactMap { ExclusionRules.exclusion(of: $0, for: stated)?.condition }
        #expect(excluded.contains(.pregnancy))
    }

    @Test("There are guidelines for each body and type, at most 12, and those of conditions come first")
    func guidelines() {
        let many = Body(
            injuries: [ActiveInjury(area: .knee, type: .pain)], conditions: HealthCondition.allCases, age: 80)
        #expect(SafetyGuidelines.sentences(for: many, type: .swimming).count == 12)
        for type in ExerciseType.allCases { #expect(SafetyGuidelines.sentences(for: Body(), type: type).count >= 4) }
        #expect(
            SafetyGuidelines.sentences(for: Body(conditions: [.asthma]), type: nil).first?.contains("inhaler") == true)
    }
}
