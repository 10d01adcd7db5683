import Wire

extension ExclusionRules {
    static let conditionRules: [ExclusionRule] = circulation + pregnancyRules + bones + senses

    private static let circulation: [ExclusionRule] = [
        .condition(
            .hypertension, "strain", [.maximal, .isometric],
            "Straining with held breath and long static holds raise the blood pressure sharply.",
            "ACSM Guidelines for Exercise Testing and Prescription"),
        .condition(
            .hypertension, "headDown", .headDown, "With the head low the pressure in it rises.",
            "ACSM Guidelines for Exercise Testing and Prescription"),
        .condition(
            .heartDisease, "strain", [.maximal, .isometric, .headDown, .ballistic],
            "Heavy strain raises the load on the heart sharply.",
            "AHA, Resistance exercise in cardiovascular disease (2007)"),
        .condition(
            .heartDisease, "vigorous", [.vigorous, .jump], "Vigorous effort needs the consent of a cardiologist.",
            "AHA, Exercise standards for testing and training (2013)"),
        .condition(
            .anaemia, "vigorous", .veryVigorous, "Very vigorous effort demands more oxygen than the blood carries.",
            "NHS, Iron deficiency anaemia"),
        .condition(
            .asthma, "vigorous", .veryVigorous, "Long, very vigorous effort can narrow the airways.",
            "ATS, Exercise-induced bronchoconstriction (2013)"),
        .condition(
            .diabetes, "strain", [.maximal, .headDown],
            "Heavy strain can harm eyes that diabetes has affected; ask your doctor first.",
            "ADA, Physical activity and diabetes (2016)"),
        .condition(
            .diabetes, "impact", .height, "Jumping from a height can hurt feet that feel less.",
            "ADA, Physical activity and diabetes (2016)"),
    ]

    private static let pregnancyRules: [ExclusionRule] = [
        .condition(
            .pregnancy, "supine", .supine, "After the first trimester lying on the back presses on a large vein.",
            "ACOG Committee Opinion 804 (2020)"),
        .condition(
            .pregnancy, "prone", .prone, "Lying on the front presses on the abdomen.", "NHS, Exercise in pregnancy"),
        .condition(
            .pregnancy, "fall", [.jump, .height, .traffic, .throwing, .ballistic, .striking],
            "It brings jumps, blows or a risk of falling.", "ACOG Committee Opinion 804 (2020)"),
        .condition(
            .pregnancy, "strain", [.maximal, .headDown, .loadAbove],
            "Heavy lifting with held breath lowers the blood flow to the womb.", "ACOG Committee Opinion 804 (2020)"),
        .condition(
            .pregnancy, "abdomen", [.crunch, .legRaise], "It strains the stretched abdominal muscles.",
            "NHS, Exercise in pregnancy"),
        .condition(
            .pregnancy, "exhaustion", .veryVigorous, "It is hardly possible without exhaustion and overheating.",
            "ACOG Committee Opinion 804 (2020)"),
        .condition(
            .postpartum, "impact", [.jump, .run], "Running and jumping can harm the pelvic floor in the first months.",
            "Goom, Donnelly and Brockwell, Returning to running postnatal (2019)"),
        .condition(
            .postpartum, "abdomen", [.crunch, .legRaise, .plank],
            "It strains abdominal muscles that have not closed yet.",
            "NHS, Your post-pregnancy body"),
        .condition(
            .postpartum, "strain", [.maximal, .ballistic], "Heavy lifting presses on the pelvic floor.",
            "NHS, Your post-pregnancy body"),
        .condition(
            .hernia, "strain", [.maximal, .axial, .hinge, .carry, .ballistic, .loadAbove],
            "Heavy lifting raises the pressure that pushes a hernia out.", "NHS, Hernia"),
        .condition(
            .hernia, "abdomen", [.crunch, .legRaise, .plank, .twist, .sideBend], primary: [.abdominals, .obliques],
            "It raises the pressure in the abdomen.", "NHS, Hernia"),
    ]

    private static let bones: [ExclusionRule] = [
        .condition(
            .osteoporosis, "flexion", [.crunch, .roundBack, .twist, .sideBend],
            "Bending forward or twisting the spine can break a weak vertebra.",
            "BHOF (formerly NOF), Safe movement and exercise"),
        .condition(
            .osteoporosis, "impact", [.jump, .height, .ballistic, .throwing],
            "Jumps, jerks and falls can break weak bones.",
            "Royal Osteoporosis Society, Strong, Steady and Straight (2018)"),
        .condition(
            .osteoporosis, "strain", [.maximal, .headDown, .traffic],
            "A heavy load or a fall can break weak bones.",
            "Royal Osteoporosis Society, Strong, Steady and Straight (2018)"),
        .condition(
            .arthritis, "impact", [.jump, .run], "Repeated impact irritates inflamed joints.",
            "ACSM Guidelines for Exercise Testing and Prescription"),
        .condition(
            .arthritis, "strain", [.maximal, .ballistic, .handSupport],
            "Heavy or jerky loads irritate inflamed joints.",
            "ACSM Guidelines for Exercise Testing and Prescription"),
    ]

    private static let senses: [ExclusionRule] = [
        .condition(
            .glaucoma, "headDown", .headDown, "With the head low the pressure in the eye rises.",
            "Glaucoma Research Foundation, Exercise and glaucoma"),
        .condition(
            .glaucoma, "strain", [.maximal, .isometric], "Straining with held breath raises the pressure in the eye.",
            "Glaucoma Research Foundation, Exercise and glaucoma"),
        .condition(
            .epilepsy, "water", .water, "A seizure in water can be fatal; swim only with a trained companion.",
            "ILAE Task Force on Sports and Epilepsy (2016)"),
        .condition(
            .epilepsy, "fall", [.height, .traffic], "A seizure at a height or in traffic can be fatal.",
            "ILAE Task Force on Sports and Epilepsy (2016)"),
        .condition(
            .epilepsy, "load", [.loadAbove, .hang],
            "A load above the body, or a fall from a bar, is dangerous in a seizure.",
            "ILAE Task Force on Sports and Epilepsy (2016)"),
        .condition(
            .vertigo, "headMotion", [.headMotion, .headDown, .swimmingBreath],
            "Quick or low positions of the head can bring on dizziness.",
            "NHS, Vertigo"),
        .condition(
            .vertigo, "fall", [.unstable, .height, .traffic, .jump, .deepWater], "Dizziness makes a fall likely.",
            "NHS, Vertigo"),
    ]
}
