import Wire

extension ExerciseCatalogue {
    static let push: [Exercise] = [
        own(
            "push-up", "Push-Up", .strength, .beginner, [.chest], [.triceps, .shoulders, .abdominals],
            Compendium.calisthenics, pose: "push-up", caution: "Keep the hips in line; stop when the lower back sags.",
            "Set your hands on the floor a little wider than the shoulders and step the feet back.",
            "Brace the trunk so that head, hips and heels form one line.",
            "Lower the chest until the elbows are bent to a right angle, then push the floor away."),
        own(
            "incline-push-up", "Incline Push-Up", .strength, .beginner, [.chest], [.triceps, .shoulders],
            with: [.bench], Compendium.calisthenics, pose: "push-up",
            "Set your hands on the edge of a steady bench and walk the feet back.",
            "Lower the chest towards the edge with a straight body.", "Push away until the arms are straight."),
        own(
            "knee-push-up", "Knee Push-Up", .strength, .beginner, [.chest], [.triceps, .shoulders],
            with: [.mat], Compendium.lightCalisthenics, pose: "push-up",
            "Kneel on the mat and set your hands on the floor in front of the shoulders.",
            "Keep a straight line from the knees to the head.", "Lower the chest, then push back up."),
        own(
            "wall-push-up", "Wall Push-Up", .strength, .beginner, [.chest], [.triceps, .shoulders],
            Compendium.lightCalisthenics, pose: "push-up",
            "Stand an arm's length from a wall and set both palms on it at the height of the chest.",
            "Bend the elbows until the forehead comes near the wall.", "Push back with a straight body."),
        own(
            "diamond-push-up", "Diamond Push-Up", .strength, .intermediate, [.triceps], [.chest, .shoulders],
            Compendium.hardCalisthenics, pose: "push-up",
            "Set your hands on the floor so that thumbs and forefingers touch below the chest.",
            "Lower yourself with the elbows near the ribs.", "Push up without letting the hips drop."),
        own(
            "pike-push-up", "Pike Push-Up", .strength, .intermediate, [.shoulders], [.triceps, .chest],
            Compendium.hardCalisthenics, pose: "push-up",
            caution: "The head is below the hips; rise slowly afterwards.",
            "Start with the hands on the floor and the hips high, so that the body forms an upturned V.",
            "Bend the elbows and bring the head towards the floor between the hands.", "Press back up."),
        own(
            "bench-dip", "Bench Dip", .strength, .intermediate, [.triceps], [.chest, .shoulders], with: [.bench],
            Compendium.calisthenics, pose: "extension",
            caution: "Do not sink lower than the shoulders allow without pain.",
            "Sit on the edge of a bench, hold it beside the hips and slide forward.",
            "Bend the elbows to lower the hips in front of the bench.", "Press up until the arms are straight."),
        own(
            "dumbbell-bench-press", "Dumbbell Bench Press", .strength, .intermediate, [.chest], [.triceps, .shoulders],
            with: [.dumbbell, .bench], by: [.reps, .weight], Compendium.resistance, pose: "press-lying",
            "Lie on your back on a flat bench with a dumbbell in each hand beside the chest.",
            "Press both up until the arms are straight above the chest.", "Lower them slowly to the sides of the chest."
        ),
        own(
            "barbell-bench-press", "Barbell Bench Press", .strength, .intermediate, [.chest], [.triceps, .shoulders],
            with: [.barbell, .bench], by: [.reps, .weight], Compendium.hardResistance, pose: "press-lying",
            caution: "Use a rack with safety bars, or a partner who can take the bar.",
            "Lie on your back on the bench with the eyes below the bar.",
            "Take the bar a little wider than the shoulders and bring it above the chest.",
            "Lower it to the chest, then press it up."),
        own(
            "dumbbell-fly", "Dumbbell Fly", .strength, .intermediate, [.chest], [.shoulders],
            with: [.dumbbell, .bench], by: [.reps, .weight], Compendium.resistance, pose: "press-lying",
            "Lie on your back on a bench and hold the dumbbells above the chest with the palms inward.",
            "Open the arms in a wide arc with slightly bent elbows.", "Close the arms along the same arc."),
        own(
            "dumbbell-floor-press", "Dumbbell Floor Press", .strength, .beginner, [.chest], [.triceps],
            with: [.dumbbell], by: [.reps, .weight], Compendium.resistance, pose: "press-lying",
            "Lie on your back on the floor with the knees bent and a dumbbell in each hand.",
            "Press until the arms are straight.", "Lower until the upper arms touch the floor."),
        own(
            "dumbbell-shoulder-press", "Dumbbell Shoulder Press", .strength, .beginner, [.shoulders], [.triceps],
            with: [.dumbbell], by: [.reps, .weight], Compendium.resistance, pose: "press-overhead",
            "Stand or sit upright with the dumbbells at the height of the shoulders.",
            "Press them overhead until the arms are nearly straight.", "Lower them under control."),
        own(
            "barbell-overhead-press", "Barbell Overhead Press", .strength, .intermediate, [.shoulders],
            [.triceps, .traps],
            with: [.barbell], by: [.reps, .weight], Compendium.hardResistance, pose: "press-overhead",
            caution: "Do not lean back; use less weight if the lower back arches.",
            "Hold the bar in front of the shoulders with straight wrists.",
            "Squeeze the seat, brace the trunk and press the bar overhead.", "Lower it to the shoulders."),
        own(
            "band-shoulder-press", "Band Shoulder Press", .strength, .beginner, [.shoulders], [.triceps],
            with: [.bands], Compendium.resistance, pose: "press-overhead",
            "Stand on the middle of the band and hold its ends at the shoulders.",
            "Press the hands overhead.", "Let the band pull them back slowly."),
        own(
            "lateral-raise", "Dumbbell Lateral Raise", .strength, .beginner, [.shoulders], with: [.dumbbell],
            by: [.reps, .weight], Compendium.resistance, pose: "raise",
            "Stand with a light dumbbell in each hand beside the body.",
            "Raise both arms sideways to the height of the shoulders.", "Lower them slowly."),
        own(
            "front-raise", "Dumbbell Front Raise", .strength, .beginner, [.shoulders], with: [.dumbbell],
            by: [.reps, .weight], Compendium.resistance, pose: "raise",
            "Stand with the dumbbells in front of the thighs.",
            "Raise one arm after the other to the height of the eyes.",
            "Lower without swinging."),
        own(
            "band-chest-press", "Band Chest Press", .strength, .beginner, [.chest], [.triceps, .shoulders],
            with: [.bands], Compendium.resistance, pose: "press-lying",
            "Lead the band around the upper back and hold its ends beside the chest.",
            "Stand upright and press both hands forward.", "Let them come back slowly."),
        own(
            "triceps-kickback", "Dumbbell Triceps Kickback", .strength, .beginner, [.triceps], with: [.dumbbell],
            by: [.reps, .weight], Compendium.resistance, pose: "extension", sides: true,
            "Lean one hand on the thigh and keep the other upper arm beside the ribs.",
            "Straighten the elbow backwards.", "Bend it again without moving the upper arm."),
        own(
            "band-triceps-pushdown", "Band Triceps Pushdown", .strength, .beginner, [.triceps], with: [.bands],
            Compendium.resistance, pose: "extension",
            "Fix the band above head height and hold it with bent elbows at the sides.",
            "Straighten the elbows towards the floor.", "Return until the forearms are level."),
    ]
}
