import Wire

extension ExerciseCatalogue {
    static let swimming: [Exercise] = [
        own(
            "easy-front-crawl", "Easy Front Crawl", .swimming, .beginner, [.lats], [.shoulders, .triceps],
            with: [.pool], by: [.distance, .time], Compendium.easyCrawl, pose: "swim",
            "Swim with long, calm strokes.", "Turn the head with the body to breathe."),
        own(
            "front-crawl", "Front Crawl", .swimming, .intermediate, [.lats], [.shoulders, .triceps, .abdominals],
            with: [.pool], by: [.distance, .time], Compendium.crawl, pose: "swim",
            "Keep the elbow high as the hand pulls.", "Breathe every third stroke."),
        own(
            "front-crawl-sprints", "Front Crawl Sprints", .swimming, .expert, [.lats], [.shoulders, .triceps],
            with: [.pool], by: [.distance, .time], Compendium.fastCrawl, pose: "swim", "Swim one length fast.",
            "Rest at the wall until you breathe calmly."),
        own(
            "easy-backstroke", "Easy Backstroke", .swimming, .beginner, [.lats], [.shoulders, .hamstrings],
            with: [.pool], by: [.distance, .time], Compendium.backstroke, pose: "swim",
            "Float in the water with the face up and the hips high.", "Move the arms in turn and kick lightly."),
        own(
            "backstroke", "Backstroke", .swimming, .intermediate, [.lats], [.shoulders, .quadriceps], with: [.pool],
            by: [.distance, .time], Compendium.hardBackstroke, pose: "swim",
            "Enter the water with the little finger first.",
            "Roll the shoulders with each stroke."),
        own(
            "easy-breaststroke", "Easy Breaststroke", .swimming, .beginner, [.chest], [.adductors, .shoulders],
            with: [.pool], by: [.distance, .time], Compendium.breaststroke, pose: "swim",
            "Pull, breathe, kick and glide.", "Keep the neck long."),
        own(
            "breaststroke", "Breaststroke", .swimming, .intermediate, [.chest], [.adductors, .shoulders],
            with: [.pool], by: [.distance, .time], Compendium.hardBreaststroke, pose: "swim",
            "Kick with the feet turned out.", "Glide in a straight line after each kick."),
        own(
            "butterfly", "Butterfly", .swimming, .expert, [.shoulders], [.lats, .chest, .abdominals],
            with: [.pool], by: [.distance, .time], Compendium.butterfly, pose: "swim",
            "Move like a wave from the chest to the feet.", "Kick twice with each stroke of both arms."),
        own(
            "sidestroke", "Sidestroke", .swimming, .beginner, [.lats], [.adductors], with: [.pool],
            by: [.distance, .time], Compendium.sidestroke, pose: "swim", "Lie on the side in the water.",
            "Pull with one arm and kick like scissors."),
        own(
            "kick-board", "Flutter Kick with a Board", .swimming, .beginner, [.quadriceps], [.glutes, .calves],
            with: [.pool], by: [.distance, .time], Compendium.leisureSwimming, pose: "swim",
            "Hold the board with straight arms.", "Kick from the hips with loose ankles."),
        own(
            "pull-buoy", "Arm Pull with a Buoy", .swimming, .intermediate, [.lats], [.shoulders, .triceps],
            with: [.pool], by: [.distance, .time], Compendium.easyCrawl, pose: "swim",
            "Hold the buoy between the thighs.", "Swim with the arms alone."),
        own(
            "treading-water", "Treading Water", .swimming, .beginner, [.quadriceps], [.shoulders], with: [.pool],
            by: [.time], Compendium.treadingWater, pose: "swim", "Stay upright in deep water.",
            "Move hands and legs in calm circles."),
        own(
            "easy-water-walking", "Easy Water Walking", .swimming, .beginner, [.quadriceps], [.glutes],
            with: [.pool], by: [.time], Compendium.easyWaterWalking, pose: "stand",
            "Walk slowly through water that reaches the waist.", "Stay upright."),
        own(
            "water-walking", "Water Walking", .swimming, .beginner, [.quadriceps], [.glutes, .abdominals],
            with: [.pool], by: [.time], Compendium.waterWalking, pose: "stand",
            "Walk through water that reaches the chest.", "Push the water back with the hands."),
        own(
            "water-jogging", "Deep-Water Jogging", .swimming, .intermediate, [.quadriceps], [.hamstrings, .abdominals],
            with: [.pool], by: [.time], Compendium.waterJogging, pose: "swim",
            "Wear a buoyancy belt in deep water.", "Move the legs as on land without touching the floor."),
        own(
            "water-aerobics", "Water Aerobics", .swimming, .beginner, [.quadriceps], [.shoulders, .glutes],
            with: [.pool], by: [.time], Compendium.waterAerobics, pose: "stand",
            "Stand in water that reaches the chest.", "Step, reach and turn in a steady rhythm."),
    ]

    static let balance: [Exercise] = [
        own(
            "single-leg-stand", "Single-Leg Stand", .balance, .beginner, [.calves], [.glutes], by: [.time],
            Compendium.taiChi, pose: "balance", sides: true, "Stand near a wall.", "Lift one foot and hold.",
            "Change sides."),
        own(
            "tandem-stand", "Heel-to-Toe Stand", .balance, .beginner, [.calves], [.glutes], by: [.time],
            Compendium.taiChi, pose: "balance", "Set one foot in front of the other so that heel and toes touch.",
            "Stand upright and hold."),
        own(
            "tandem-walk", "Heel-to-Toe Walk", .balance, .beginner, [.calves], [.glutes], by: [.time],
            Compendium.easyWalking, pose: "balance", "Walk along a line, heel to toes.", "Look ahead."),
        own(
            "clock-reach", "Clock Reach", .balance, .intermediate, [.glutes], [.quadriceps, .calves],
            Compendium.lightCalisthenics, pose: "balance", sides: true, "Stand on one leg.",
            "Reach with the other foot to twelve, three and six o'clock."),
        own(
            "tree-pose", "Tree Pose", .balance, .beginner, [.glutes], [.calves], by: [.time], Compendium.yoga,
            pose: "balance", sides: true, "Stand on one leg and set the other sole on the calf or thigh.",
            "Join the hands in front of the chest."),
        own(
            "weight-shift", "Weight Shift", .balance, .beginner, [.abductors], [.calves], by: [.time],
            Compendium.taiChi, pose: "stand", "Stand with the feet apart.",
            "Move the weight slowly from one foot to the other."),
        own(
            "seated-knee-lift", "Seated Knee Lift", .balance, .beginner, [.quadriceps], [.abdominals],
            Compendium.lightCalisthenics, pose: "balance", "Sit upright on a steady seat without leaning back.",
            "Lift one knee, then the other."),
        own(
            "seated-reach", "Seated Reach", .balance, .beginner, [.obliques], [.shoulders],
            Compendium.lightCalisthenics, pose: "balance", sides: true, "Sit upright on a steady seat.",
            "Reach forward and to the side as far as you stay steady."),
    ]
}
