import Wire

extension ExerciseCatalogue {
    static let core: [Exercise] = [
        own(
            "plank", "Forearm Plank", .strength, .beginner, [.abdominals], [.obliques, .shoulders], with: [.mat],
            by: [.time], Compendium.floorCalisthenics, pose: "plank",
            caution: "Keep breathing; do not hold your breath.",
            "Set the forearms on the mat below the shoulders.", "Lift the body into one line.", "Hold and breathe."),
        own(
            "side-plank", "Side Plank", .strength, .intermediate, [.obliques], [.abdominals, .shoulders], with: [.mat],
            by: [.time], Compendium.floorCalisthenics, pose: "side-plank", sides: true,
            "Lie on your side and set one forearm below the shoulder.", "Lift the hips.", "Hold and breathe."),
        own(
            "bird-dog", "Bird Dog", .strength, .beginner, [.lowerBack], [.glutes, .abdominals], with: [.mat],
            Compendium.lightCalisthenics, pose: "plank", sides: true, "Start on hands and knees.",
            "Stretch one arm forward and the other leg back.", "Return and change sides."),
        own(
            "dead-bug", "Dead Bug", .strength, .beginner, [.abdominals], with: [.mat], Compendium.lightCalisthenics,
            pose: "crunch", sides: true, "Lie on your back with arms up and knees above the hips.",
            "Lower one arm and the other leg.", "Return without lifting the lower back."),
        own(
            "crunch", "Crunch", .strength, .beginner, [.abdominals], with: [.mat], Compendium.lightCalisthenics,
            pose: "crunch", caution: "Do not pull on the head.", "Lie on your back with the knees bent.",
            "Lift the shoulder blades off the mat.", "Lower slowly."),
        own(
            "bicycle-crunch", "Bicycle Crunch", .strength, .intermediate, [.obliques], [.abdominals], with: [.mat],
            Compendium.floorCalisthenics, pose: "twist", "Lie on your back with the hands beside the head.",
            "Bring one elbow and the other knee together.", "Change sides in a steady rhythm."),
        own(
            "leg-raise", "Lying Leg Raise", .strength, .intermediate, [.abdominals], with: [.mat],
            Compendium.floorCalisthenics, pose: "crunch", "Lie on your back with straight legs.",
            "Raise the legs to the vertical.", "Lower them as far as the lower back stays down."),
        own(
            "hanging-knee-raise", "Hanging Knee Raise", .strength, .intermediate, [.abdominals], [.forearms],
            with: [.pullUpBar], Compendium.calisthenics, pose: "pull-up", "Hang from the bar.",
            "Lift the knees to the height of the hips.", "Lower them without swinging."),
        own(
            "russian-twist", "Russian Twist", .strength, .intermediate, [.obliques], [.abdominals], with: [.mat],
            Compendium.floorCalisthenics, pose: "twist", "Sit with bent knees and lean back a little.",
            "Turn the trunk to one side, then to the other.", "Keep the back straight."),
        own(
            "mountain-climber", "Mountain Climber", .cardio, .intermediate, [.abdominals], [.shoulders, .quadriceps],
            by: [.time], Compendium.hardCalisthenics, pose: "plank", "Start in a push-up position with straight arms.",
            "Draw one knee forward, then the other, in a quick rhythm.", "Keep the hips low."),
        own(
            "back-extension", "Prone Back Extension", .strength, .beginner, [.lowerBack], [.glutes], with: [.mat],
            Compendium.lightCalisthenics, pose: "extension", "Lie face down with the hands beside the ears.",
            "Lift the chest a little off the mat.", "Lower slowly."),
        own(
            "pallof-press", "Band Pallof Press", .strength, .beginner, [.obliques], [.abdominals], with: [.bands],
            Compendium.resistance, pose: "press-lying", sides: true, "Fix the band at chest height beside you.",
            "Press the hands forward without letting the trunk turn.", "Bring them back."),
        own(
            "hollow-hold", "Hollow Hold", .strength, .expert, [.abdominals], with: [.mat], by: [.time],
            Compendium.floorCalisthenics, pose: "crunch", "Lie on your back and press the lower back down.",
            "Lift shoulders and straight legs.", "Hold and breathe."),
        own(
            "ball-crunch", "Exercise Ball Crunch", .strength, .beginner, [.abdominals], with: [.exerciseBall],
            Compendium.exerciseBall, pose: "crunch", "Lie back on the ball with the feet on the floor.",
            "Lift the shoulders.", "Lower slowly."),
        own(
            "ball-seated-march", "Exercise Ball Seated March", .balance, .beginner, [.abdominals], [.quadriceps],
            with: [.exerciseBall], Compendium.exerciseBall, pose: "balance", "Sit upright on the ball.",
            "Lift one foot, then the other.", "Keep the ball still."),
    ]

    static let machines: [Exercise] = [
        own(
            "machine-chest-press", "Machine Chest Press", .strength, .beginner, [.chest], [.triceps, .shoulders],
            with: [.machine], by: [.reps, .weight], Compendium.resistance, pose: "press-lying",
            "Set the seat so that the handles are at chest height.", "Press until the arms are straight.",
            "Return slowly."),
        own(
            "machine-shoulder-press", "Machine Shoulder Press", .strength, .beginner, [.shoulders], [.triceps],
            with: [.machine], by: [.reps, .weight], Compendium.resistance, pose: "press-overhead",
            "Set the seat so that the handles are at shoulder height.", "Press overhead.", "Lower slowly."),
        own(
            "cable-row", "Seated Cable Row", .strength, .beginner, [.middleBack], [.lats, .biceps], with: [.cable],
            by: [.reps, .weight], Compendium.resistance, pose: "row", "Sit upright with the feet on the plate.",
            "Pull the handle to the waist.", "Let the arms go forward."),
        own(
            "lat-pulldown", "Lat Pulldown", .strength, .beginner, [.lats], [.biceps], with: [.cable],
            by: [.reps, .weight], Compendium.resistance, pose: "pull-up", "Sit with the thighs below the pads.",
            "Pull the bar to the upper chest.", "Let it rise slowly."),
        own(
            "leg-press", "Leg Press", .strength, .beginner, [.quadriceps], [.glutes, .hamstrings], with: [.machine],
            by: [.reps, .weight], Compendium.resistance, pose: "squat", "Sit with the feet on the plate.",
            "Bend the knees to a right angle.", "Press without locking the knees."),
        own(
            "leg-curl", "Seated Leg Curl", .strength, .beginner, [.hamstrings], with: [.machine],
            by: [.reps, .weight], Compendium.resistance, pose: "curl", "Sit with the pad above the heels.",
            "Bend the knees.", "Straighten them slowly."),
        own(
            "leg-extension", "Leg Extension", .strength, .beginner, [.quadriceps], with: [.machine],
            by: [.reps, .weight], Compendium.resistance, pose: "extension", "Sit with the pad above the ankles.",
            "Straighten the knees.", "Lower slowly."),
        own(
            "cable-pushdown", "Cable Triceps Pushdown", .strength, .beginner, [.triceps], with: [.cable],
            by: [.reps, .weight], Compendium.resistance, pose: "extension",
            "Hold the bar with the elbows at the sides.",
            "Straighten the elbows.", "Return until the forearms are level."),
        own(
            "face-pull", "Cable Face Pull", .strength, .beginner, [.shoulders], [.middleBack], with: [.cable],
            by: [.reps, .weight], Compendium.resistance, pose: "row", "Set the cable at face height.",
            "Pull the rope towards the forehead with high elbows.", "Return slowly."),
    ]
}
