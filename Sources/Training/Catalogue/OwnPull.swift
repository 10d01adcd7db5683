import Wire

extension ExerciseCatalogue {
    static let pull: [Exercise] = [
        own(
            "pull-up", "Pull-Up", .strength, .expert, [.lats], [.biceps, .middleBack, .forearms], with: [.pullUpBar],
            Compendium.hardCalisthenics, pose: "pull-up",
            "Hang from the bar with the palms forward, a little wider than the shoulders.",
            "Pull until the chin is above the bar.", "Lower yourself until the arms are straight."),
        own(
            "chin-up", "Chin-Up", .strength, .intermediate, [.lats], [.biceps, .forearms], with: [.pullUpBar],
            Compendium.hardCalisthenics, pose: "pull-up",
            "Hang from the bar with the palms towards you.", "Pull until the chin is above the bar.",
            "Lower yourself slowly."),
        own(
            "band-assisted-pull-up", "Band-Assisted Pull-Up", .strength, .beginner, [.lats], [.biceps, .middleBack],
            with: [.pullUpBar, .bands], Compendium.calisthenics, pose: "pull-up",
            "Loop a band over the bar and set one foot or knee into it.", "Pull until the chin is above the bar.",
            "Lower yourself slowly against the band."),
        own(
            "dead-hang", "Dead Hang", .strength, .beginner, [.forearms], [.lats, .shoulders], with: [.pullUpBar],
            by: [.time], Compendium.lightCalisthenics, pose: "pull-up",
            "Hold the bar with both hands and let the body hang.", "Breathe calmly and keep the grip firm.",
            "Step down before the hands slip."),
        own(
            "inverted-row", "Inverted Row", .strength, .intermediate, [.middleBack], [.biceps, .lats],
            with: [.pullUpBar],
            Compendium.calisthenics, pose: "row",
            "Hold a bar at waist height and let the straight body hang below it.",
            "Pull the chest to the bar.", "Lower with control."),
        own(
            "one-arm-dumbbell-row", "One-Arm Dumbbell Row", .strength, .beginner, [.middleBack], [.lats, .biceps],
            with: [.dumbbell, .bench], by: [.reps, .weight], Compendium.resistance, pose: "row", sides: true,
            "Set one hand and one knee on the bench; hold the dumbbell in the other hand.",
            "Pull the elbow towards the hip.", "Lower until the arm is straight."),
        own(
            "barbell-row", "Bent-Over Barbell Row", .strength, .intermediate, [.middleBack],
            [.lats, .biceps, .lowerBack], with: [.barbell], by: [.reps, .weight], Compendium.hardResistance,
            pose: "row",
            caution: "Keep the back flat; end the set when it rounds.",
            "Hold the bar with straight arms and bend forward at the hips with a flat back.",
            "Pull the bar to the waist.", "Lower it without moving the trunk."),
        own(
            "band-row", "Seated Band Row", .strength, .beginner, [.middleBack], [.lats, .biceps], with: [.bands],
            Compendium.resistance, pose: "row", "Sit upright with straight legs and lead the band around the feet.",
            "Pull both elbows back beside the ribs.", "Let the arms go forward slowly."),
        own(
            "band-pull-apart", "Band Pull-Apart", .strength, .beginner, [.middleBack], [.shoulders], with: [.bands],
            Compendium.resistance, pose: "raise", "Hold the band in front of the chest with straight arms.",
            "Pull it apart until it touches the chest.", "Return slowly."),
        own(
            "band-pulldown", "Kneeling Band Pulldown", .strength, .beginner, [.lats], [.biceps], with: [.bands],
            Compendium.resistance, pose: "pull-up", "Fix the band high above you and kneel in front of it.",
            "Pull both hands down to the chest.", "Let them rise slowly."),
        own(
            "reverse-fly", "Dumbbell Reverse Fly", .strength, .intermediate, [.shoulders], [.middleBack],
            with: [.dumbbell], by: [.reps, .weight], Compendium.resistance, pose: "raise",
            "Bend forward at the hips with a flat back and let the arms hang.",
            "Raise both arms sideways with slightly bent elbows.", "Lower them slowly."),
        own(
            "dumbbell-curl", "Dumbbell Curl", .strength, .beginner, [.biceps], [.forearms], with: [.dumbbell],
            by: [.reps, .weight], Compendium.resistance, pose: "curl",
            "Stand with the arms at the sides, palms forward.",
            "Bend the elbows without moving the upper arms.", "Lower the dumbbells slowly."),
        own(
            "hammer-curl", "Dumbbell Hammer Curl", .strength, .beginner, [.biceps], [.forearms], with: [.dumbbell],
            by: [.reps, .weight], Compendium.resistance, pose: "curl", "Stand with the palms towards the body.",
            "Bend the elbows with the thumbs up.", "Lower slowly."),
        own(
            "barbell-curl", "Barbell Curl", .strength, .intermediate, [.biceps], [.forearms], with: [.barbell],
            by: [.reps, .weight], Compendium.resistance, pose: "curl", "Hold the bar with the palms up.",
            "Bend the elbows until the bar is in front of the chest.", "Lower it without leaning back."),
        own(
            "band-curl", "Band Curl", .strength, .beginner, [.biceps], [.forearms], with: [.bands],
            Compendium.resistance, pose: "curl", "Stand on the band and hold its ends.",
            "Bend the elbows.", "Straighten them slowly against the band."),
        own(
            "wrist-curl", "Dumbbell Wrist Curl", .strength, .beginner, [.forearms], with: [.dumbbell],
            by: [.reps, .weight], Compendium.resistance, pose: "curl", sides: true,
            "Sit and rest the forearm on the thigh with the palm up.", "Bend the wrist upwards.", "Lower it slowly."),
        own(
            "dumbbell-shrug", "Dumbbell Shrug", .strength, .beginner, [.traps], [.forearms], with: [.dumbbell],
            by: [.reps, .weight], Compendium.resistance, pose: "raise", "Stand with a dumbbell in each hand.",
            "Lift both shoulders towards the ears.", "Lower them slowly."),
    ]
}
