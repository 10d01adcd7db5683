import Wire

extension ExerciseCatalogue {
    static let legs: [Exercise] = [
        own(
            "squat", "Squat", .strength, .beginner, [.quadriceps], [.glutes, .hamstrings], Compendium.calisthenics,
            pose: "squat", "Stand with the feet as wide as the shoulders.",
            "Sit back and down until the thighs are level, knees above the toes.", "Stand up through the heels."),
        own(
            "chair-squat", "Chair Squat", .strength, .beginner, [.quadriceps], [.glutes],
            Compendium.lightCalisthenics, pose: "squat", "Stand in front of a steady seat.",
            "Sit down slowly without dropping.", "Stand up without using the hands."),
        own(
            "goblet-squat", "Goblet Squat", .strength, .beginner, [.quadriceps], [.glutes, .hamstrings],
            with: [.dumbbell], by: [.reps, .weight], Compendium.squats, pose: "squat",
            "Hold a dumbbell upright against the chest.", "Squat between the knees with an upright chest.", "Stand up."),
        own(
            "barbell-squat", "Barbell Back Squat", .strength, .intermediate, [.quadriceps],
            [.glutes, .hamstrings, .lowerBack], with: [.barbell], by: [.reps, .weight], Compendium.squats,
            pose: "squat",
            caution: "Use a rack with safety bars.", "Set the bar on the upper back and step out of the rack.",
            "Squat until the thighs are level.", "Stand up with a firm trunk."),
        own(
            "wall-sit", "Wall Sit", .strength, .beginner, [.quadriceps], [.glutes], by: [.time],
            Compendium.calisthenics, pose: "squat", caution: "Keep breathing; do not hold your breath.",
            "Lean the back against a wall and slide down until the knees are bent to a right angle.",
            "Hold the position and breathe.", "Slide up to end."),
        own(
            "lunge", "Forward Lunge", .strength, .beginner, [.quadriceps], [.glutes, .hamstrings],
            Compendium.calisthenics, pose: "lunge", sides: true, "Step forward with one foot.",
            "Lower the back knee towards the floor.", "Push back to the start."),
        own(
            "reverse-lunge", "Reverse Lunge", .strength, .beginner, [.quadriceps], [.glutes, .hamstrings],
            Compendium.calisthenics, pose: "lunge", sides: true, "Step back with one foot.",
            "Lower the back knee towards the floor.", "Push through the front heel to stand."),
        own(
            "dumbbell-lunge", "Dumbbell Walking Lunge", .strength, .intermediate, [.quadriceps],
            [.glutes, .hamstrings], with: [.dumbbell], by: [.reps, .weight], Compendium.squats, pose: "lunge",
            sides: true,
            "Hold a dumbbell in each hand and step forward.", "Lower the back knee.", "Step through with the other leg."
        ),
        own(
            "split-squat", "Bulgarian Split Squat", .strength, .intermediate, [.quadriceps], [.glutes],
            with: [.bench], Compendium.calisthenics, pose: "lunge", sides: true,
            "Set the top of one foot on a bench behind you.", "Lower the hips straight down.",
            "Stand up on the front leg."),
        own(
            "lateral-lunge", "Lateral Lunge", .strength, .beginner, [.adductors], [.quadriceps, .glutes],
            Compendium.calisthenics, pose: "lunge", sides: true, "Step wide to one side.",
            "Bend that knee and keep the other leg straight.", "Push back to the middle."),
        own(
            "step-up", "Step-Up", .strength, .beginner, [.quadriceps], [.glutes], with: [.box],
            Compendium.calisthenics, pose: "step", sides: true, "Set one foot on a steady box of knee height.",
            "Stand up on it.", "Step down with control."),
        own(
            "romanian-deadlift", "Dumbbell Romanian Deadlift", .strength, .beginner, [.hamstrings],
            [.glutes, .lowerBack], with: [.dumbbell], by: [.reps, .weight], Compendium.resistance, pose: "hinge",
            caution: "Keep the back flat; end the set when it rounds.", "Hold the dumbbells in front of the thighs.",
            "Push the hips back and lower the dumbbells along the legs.", "Bring the hips forward to stand."),
        own(
            "barbell-deadlift", "Barbell Deadlift", .powerlifting, .intermediate, [.hamstrings],
            [.glutes, .lowerBack, .traps, .forearms], with: [.barbell], by: [.reps, .weight], Compendium.hardResistance,
            pose: "hinge", caution: "Keep the back flat; end the set when it rounds.",
            "Stand with the bar above the middle of the feet.", "Hold it, flatten the back and brace.",
            "Stand up by pushing the floor away, then lower the bar."),
        own(
            "powerlifting-squat", "Low-Bar Squat", .powerlifting, .expert, [.quadriceps],
            [.glutes, .hamstrings, .lowerBack], with: [.barbell], by: [.reps, .weight], Compendium.hardResistance,
            pose: "squat", caution: "Use a rack with safety bars.", "Set the bar low on the upper back.",
            "Squat until the hip is below the knee.", "Drive up."),
        own(
            "single-leg-deadlift", "Single-Leg Deadlift", .strength, .intermediate, [.hamstrings], [.glutes],
            Compendium.calisthenics, pose: "hinge", sides: true, "Stand on one leg with a soft knee.",
            "Lean forward as the other leg goes back.", "Come up without touching the floor."),
        own(
            "glute-bridge", "Glute Bridge", .strength, .beginner, [.glutes], [.hamstrings], with: [.mat],
            Compendium.floorCalisthenics, pose: "bridge", "Lie on your back with the knees bent.",
            "Lift the hips until shoulders, hips and knees are in line.", "Lower slowly."),
        own(
            "hip-thrust", "Bench Hip Thrust", .strength, .intermediate, [.glutes], [.hamstrings],
            with: [.bench], Compendium.calisthenics, pose: "bridge",
            "Lean the upper back on a bench with the knees bent.",
            "Lift the hips until the trunk is level.", "Lower slowly."),
        own(
            "side-lying-leg-raise", "Side-Lying Leg Raise", .strength, .beginner, [.abductors], [.glutes],
            with: [.mat], Compendium.lightCalisthenics, pose: "raise", sides: true,
            "Lie on your side with straight legs.",
            "Raise the upper leg.", "Lower it slowly."),
        own(
            "clamshell", "Clamshell", .strength, .beginner, [.abductors], [.glutes], with: [.mat],
            Compendium.lightCalisthenics, pose: "raise", sides: true, "Lie on your side with the knees bent.",
            "Open the upper knee and keep the feet together.", "Close slowly."),
        own(
            "band-lateral-walk", "Band Lateral Walk", .strength, .beginner, [.abductors], [.glutes], with: [.bands],
            Compendium.resistance, pose: "step", "Set a loop band around the legs above the knees.",
            "Take small steps to one side with tension on the band.", "Go back the other way."),
        own(
            "calf-raise", "Standing Calf Raise", .strength, .beginner, [.calves], [], Compendium.lightCalisthenics,
            pose: "raise", "Stand upright near a wall.", "Rise onto the balls of the feet.", "Lower the heels slowly."),
        own(
            "seated-calf-raise", "Seated Dumbbell Calf Raise", .strength, .beginner, [.calves],
            with: [.dumbbell, .bench], by: [.reps, .weight], Compendium.resistance, pose: "raise",
            "Sit with a dumbbell on each knee.", "Lift the heels.", "Lower them slowly."),
        own(
            "toe-raise", "Toe Raise", .strength, .beginner, [.shins], [], Compendium.lightCalisthenics, pose: "raise",
            "Lean the back on a wall with the feet a step forward.", "Lift the toes and the balls of the feet.",
            "Lower them slowly."),
    ]
}
