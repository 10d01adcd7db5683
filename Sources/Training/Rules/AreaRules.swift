import Wire

extension ExclusionRules {
    static let areaRules: [ExclusionRule] = upperBodyRules + trunkRules + lowerBodyRules

    private static let upperBodyRules: [ExclusionRule] = [
        .area(
            .neck, "load", [.neckLoad, .shrug, .headDown, .loadAbove], primary: [.neck, .traps],
            secondary: [.neck, .traps],
            "It loads the muscles and joints of the neck.", "NHS, Neck pain and stiff neck"),
        .area(
            .neck, "crunch", [.crunch, .headMotion], "It bends the neck against a load.",
            "NHS, Neck pain and stiff neck"),
        .area(
            .neck, "overhead", [.overhead, .axial, .hang],
            "Loads overhead or on the shoulders press on the neck.", "NHS, Neck pain and stiff neck"),
        .area(
            .neck, "impact", [.jump, .throwing, .swimmingBreath, .striking],
            "It shakes the neck or turns it again and again.", "NHS, Neck pain and stiff neck"),
        .area(
            .shoulder, "overhead", [.overhead, .hang, .raise, .throwing, .striking],
            "Raising or hanging the arms loads the shoulder.", "AAOS OrthoInfo, Rotator cuff and shoulder conditioning"),
        .area(
            .shoulder, "press", [.press, .handSupport, .shrug, .loadAbove], primary: [.shoulders, .chest, .traps],
            secondary: [.shoulders],
            "Pressing and leaning on the arms loads the shoulder.",
            "AAOS OrthoInfo, Rotator cuff and shoulder conditioning"),
        .area(
            .shoulder, "pull", [.pull, .rowing, .carry, .armStroke],
            "Pulling and swimming strokes load the shoulder.", "AAOS OrthoInfo, Rotator cuff and shoulder conditioning"),
        .area(
            .elbow, "bend", [.elbowFlexion, .elbowExtension, .press, .pull, .rowing, .overhead],
            primary: [.biceps, .triceps, .forearms],
            secondary: [.biceps, .triceps, .forearms], "Bending or straightening the elbow against a load strains it.",
            "AAOS OrthoInfo, Tennis elbow"),
        .area(
            .elbow, "grip", [.hang, .grip, .handSupport, .throwing, .striking, .carry, .armStroke],
            "Gripping and leaning on the hands loads the elbow.", "AAOS OrthoInfo, Tennis elbow"),
        .area(
            .wrist, "support", [.handSupport, .press, .striking, .loadAbove],
            "Weight on the hands bends the wrist under load.",
            "NHS, Wrist pain"),
        .area(
            .wrist, "grip", [.grip, .hang, .elbowFlexion, .pull, .rowing, .throwing, .carry, .ballistic, .armStroke],
            primary: [.forearms, .biceps], secondary: [.forearms], "Holding a load strains the wrist.",
            "NHS, Wrist pain"),
        .area(
            .hand, "grip",
            [.grip, .hang, .handSupport, .pull, .rowing, .throwing, .carry, .striking, .elbowFlexion, .loadAbove],
            primary: [.forearms], secondary: [.forearms], "It needs a firm grip or weight on the hand.",
            "NHS, Hand pain"),
        .area(.hand, "press", [.press, .armStroke], "It presses against the hand.", "NHS, Hand pain"),
    ]

    private static let trunkRules: [ExclusionRule] = [
        .area(
            .chest, "press", [.press, .handSupport, .loadAbove, .throwing, .striking, .armStroke], primary: [.chest],
            secondary: [.chest],
            "It loads the muscles of the chest.", "NHS, Broken or bruised ribs"),
        .area(
            .chest, "strain", [.maximal, .twist, .crunch, .hang, .prone, .jump],
            "Straining, twisting or lying on the ribs hurts an injured chest.", "NHS, Broken or bruised ribs"),
        .area(
            .abdomen, "flex", [.crunch, .twist, .sideBend, .legRaise, .plank, .backExtension, .headMotion],
            primary: [.abdominals, .obliques], secondary: [.abdominals, .obliques],
            "It tightens or stretches the abdominal muscles.", "NHS, Sprains and strains"),
        .area(
            .abdomen, "strain", [.maximal, .axial, .throwing, .ballistic, .hang, .carry, .jump],
            "It raises the pressure in the abdomen.", "NHS, Sprains and strains"),
        .area(
            .upperBack, "pull", [.pull, .hang, .rowing, .shrug, .raise, .armStroke],
            primary: [.middleBack, .lats, .traps],
            secondary: [.middleBack, .lats, .traps], "Pulling loads the upper back.", "NHS, Back pain"),
        .area(
            .upperBack, "load",
            [.axial, .hinge, .twist, .overhead, .roundBack, .throwing, .carry, .loadAbove, .maximal],
            "It loads or twists the upper spine.", "NHS, Back pain"),
        .area(
            .lowerBack, "bend", [.hinge, .crunch, .twist, .sideBend, .roundBack, .backExtension, .legRaise, .rowing],
            primary: [.lowerBack], secondary: [.lowerBack], "It bends or twists the lower back against a load.",
            "ACSM, Low back pain"),
        .area(
            .lowerBack, "load", [.axial, .maximal, .ballistic, .throwing, .carry, .headMotion],
            "A heavy or sudden load compresses the lower back.", "ACSM, Low back pain"),
        .area(.lowerBack, "impact", [.jump, .run], "Each landing shakes the lower back.", "ACSM, Low back pain"),
    ]

    private static let lowerBodyRules: [ExclusionRule] = [
        .area(
            .hip, "bend", [.squat, .lunge, .hinge, .hipWork, .legRaise, .step, .rowing, .breaststrokeKick],
            primary: [.glutes, .abductors, .adductors], secondary: [.glutes, .abductors, .adductors],
            "It bends or turns the hip against a load.", "AAOS OrthoInfo, Hip conditioning"),
        .area(
            .hip, "impact", [.jump, .run, .carry, .ballistic], "Each landing loads the hip.",
            "AAOS OrthoInfo, Hip conditioning"),
        .area(
            .thigh, "load",
            [.squat, .lunge, .hinge, .kneeExtension, .kneeCurl, .step, .cycle, .rowing, .legRaise, .flutterKick],
            primary: [.quadriceps, .hamstrings, .adductors], secondary: [.quadriceps, .hamstrings, .adductors],
            "It works or stretches the muscles of the thigh.", "AAOS OrthoInfo, Muscle strains in the thigh"),
        .area(
            .thigh, "impact", [.jump, .run, .ballistic, .breaststrokeKick],
            "Sprinting, jumping and kicking overload the thigh.",
            "AAOS OrthoInfo, Muscle strains in the thigh"),
        .area(
            .knee, "bend",
            [.squat, .lunge, .kneeExtension, .kneeCurl, .step, .rowing, .kneeling, .breaststrokeKick],
            primary: [.quadriceps], secondary: [.quadriceps], sparesEasyEndurance: true,
            "It bends the knee under load.",
            "AAOS OrthoInfo, Knee conditioning"),
        .area(
            .knee, "impact", [.jump, .run, .ballistic, .carry], "Running, jumping and landing load the knee.",
            "AAOS OrthoInfo, Knee conditioning"),
        .area(
            .calf, "load", [.calfRaise, .walk, .step, .lunge, .unstable, .carry], primary: [.calves, .shins],
            secondary: [.calves],
            "It works or stretches the muscles of the calf.", "NHS, Sprains and strains"),
        .area(
            .calf, "impact", [.jump, .run, .ballistic, .flutterKick], "Each push-off strains the calf.",
            "NHS, Sprains and strains"),
        .area(
            .ankle, "load", [.calfRaise, .walk, .step, .lunge, .squat, .unstable, .carry],
            primary: [.calves, .shins],
            secondary: [.calves], "It loads the ankle or can twist it.", "AAOS OrthoInfo, Foot and ankle conditioning"),
        .area(
            .ankle, "impact", [.jump, .run, .ballistic, .flutterKick, .breaststrokeKick],
            "Landing and kicking strain the ankle.", "AAOS OrthoInfo, Foot and ankle conditioning"),
        .area(
            .foot, "load", [.calfRaise, .walk, .step, .lunge, .unstable, .carry, .maximal],
            primary: [.calves, .shins],
            "It puts much weight on the foot.", "AAOS OrthoInfo, Foot and ankle conditioning"),
        .area(
            .foot, "impact", [.jump, .run, .ballistic, .flutterKick, .breaststrokeKick],
            "Landing and kicking strain the foot.", "AAOS OrthoInfo, Foot and ankle conditioning"),
    ]
}
