import Wire

extension ExerciseCatalogue {
    static let warmUp: [Exercise] = [
        own(
            "easy-march", "Easy March", .cardio, .beginner, [.quadriceps], by: [.time], Compendium.easyWalking,
            pose: "stand", "March in place at an easy pace.", "Breathe through the nose if you can."),
        own(
            "arm-circles", "Arm Circles", .stretching, .beginner, [.shoulders], by: [.time],
            Compendium.lightCalisthenics,
            pose: "stretch-arm", "Stretch both arms to the sides.", "Draw circles that grow.", "Change direction."),
        own(
            "shoulder-rolls", "Shoulder Rolls", .stretching, .beginner, [.traps], by: [.time], Compendium.stretching,
            pose: "stretch-arm", "Let the arms hang.", "Roll the shoulders back, then forward."),
        own(
            "wrist-circles", "Wrist Circles", .stretching, .beginner, [.forearms], by: [.time], Compendium.stretching,
            pose: "stretch-arm", "Make loose fists.", "Turn the wrists in both directions."),
        own(
            "ankle-circles", "Ankle Circles", .stretching, .beginner, [.shins], by: [.time], Compendium.stretching,
            pose: "stretch-leg", sides: true, "Sit and lift one foot.", "Turn the ankle in both directions."),
        own(
            "leg-swings", "Leg Swings", .stretching, .beginner, [.hamstrings], [.glutes], by: [.time],
            Compendium.lightCalisthenics, pose: "stretch-leg", sides: true, "Hold on to a wall.",
            "Swing one leg forward and back."),
        own(
            "hip-circles", "Standing Hip Circles", .stretching, .beginner, [.abductors], [.glutes], by: [.time],
            Compendium.stretching, pose: "stand", "Set the hands on the hips.", "Draw slow circles with the hips."),
        own(
            "trunk-turns", "Standing Trunk Turns", .stretching, .beginner, [.obliques], by: [.time],
            Compendium.stretching, pose: "twist", "Stand with the feet apart.", "Turn the trunk gently to both sides."),
        own(
            "cat-cow", "Cat and Cow", .stretching, .beginner, [.middleBack], [.lowerBack], with: [.mat], by: [.time],
            Compendium.yoga, pose: "stretch-back", "Start on hands and knees.", "Round the back, then let it sink."),
        own(
            "inchworm", "Inchworm Walk-Out", .stretching, .intermediate, [.hamstrings], [.abdominals, .shoulders],
            Compendium.sunSalutation, pose: "hinge", "Bend down and set the hands on the floor.",
            "Walk the hands forward to a push-up position.", "Walk the feet to the hands."),
        own(
            "side-steps", "Side Steps", .cardio, .beginner, [.abductors], [.quadriceps], by: [.time],
            Compendium.lowImpactAerobics, pose: "step", "Step to one side and bring the feet together.",
            "Step back to the other side."),
        own(
            "seated-punches", "Seated Air Punches", .cardio, .beginner, [.shoulders], [.abdominals],
            by: [.time], Compendium.lightCalisthenics, pose: "stand", "Sit upright on a steady seat.",
            "Punch lightly into the air with both arms in turn."),
        own(
            "seated-march", "Seated March", .cardio, .beginner, [.quadriceps], by: [.time],
            Compendium.lightCalisthenics, pose: "stand", "Sit upright on a steady seat.", "Lift the knees in turn."),
    ]

    static let coolDown: [Exercise] = [
        own(
            "slow-walk", "Slow Walk", .cardio, .beginner, [.calves], by: [.time], Compendium.easyWalking, pose: "stand",
            "Walk slowly until you breathe calmly."),
        own(
            "calm-breathing", "Calm Breathing", .stretching, .beginner, [], by: [.time],
            Compendium.quietStanding, pose: "breathe", "Sit or stand comfortably.",
            "Breathe in for four seconds and out for six."),
        own(
            "chest-stretch", "Doorway Chest Stretch", .stretching, .beginner, [.chest], [.shoulders], by: [.time],
            Compendium.stretching, pose: "stretch-arm", "Set the forearms on a door frame.",
            "Lean forward until you feel the chest."),
        own(
            "triceps-stretch", "Overhead Triceps Stretch", .stretching, .beginner, [.triceps], by: [.time],
            Compendium.stretching, pose: "stretch-arm", sides: true, "Raise one arm overhead and bend the elbow.",
            "Press the elbow gently back with the other hand."),
        own(
            "cross-arm-stretch", "Cross-Body Arm Stretch", .stretching, .beginner, [.shoulders], by: [.time],
            Compendium.stretching, pose: "stretch-arm", sides: true, "Bring one arm across the chest.",
            "Hold it with the other arm."),
        own(
            "forearm-stretch", "Forearm Stretch", .stretching, .beginner, [.forearms], by: [.time],
            Compendium.stretching, pose: "stretch-arm", sides: true, "Stretch one arm with the palm up.",
            "Pull the fingers gently back."),
        own(
            "neck-stretch", "Side Neck Stretch", .stretching, .beginner, [.neck], [.traps], by: [.time],
            Compendium.stretching, pose: "stretch-arm", sides: true, "Sit upright.",
            "Lean the head to one side without pulling."),
        own(
            "childs-pose", "Child's Pose", .stretching, .beginner, [.lowerBack], [.lats], with: [.mat], by: [.time],
            Compendium.yoga, pose: "stretch-back", "Kneel and sit back on the heels.",
            "Stretch the arms forward on the mat."),
        own(
            "side-reach", "Standing Side Reach", .stretching, .beginner, [.obliques], [.lats], by: [.time],
            Compendium.stretching, pose: "stretch-back", sides: true, "Stand and raise one arm.",
            "Bend gently to the other side."),
        own(
            "knee-to-chest", "Knee to Chest", .stretching, .beginner, [.glutes], [.lowerBack], with: [.mat],
            by: [.time], Compendium.stretching, pose: "stretch-back", sides: true, "Lie on your back.",
            "Draw one knee to the chest."),
        own(
            "hamstring-stretch", "Seated Hamstring Stretch", .stretching, .beginner, [.hamstrings], [.calves],
            with: [.mat], by: [.time], Compendium.stretching, pose: "stretch-leg", sides: true,
            "Sit with one leg straight.", "Lean forward from the hips with a straight back."),
        own(
            "quad-stretch", "Standing Quad Stretch", .stretching, .beginner, [.quadriceps], by: [.time],
            Compendium.stretching, pose: "stretch-leg", sides: true, "Hold on to a wall.",
            "Bring one heel towards the seat."),
        own(
            "calf-stretch", "Wall Calf Stretch", .stretching, .beginner, [.calves], by: [.time],
            Compendium.stretching, pose: "stretch-leg", sides: true, "Lean the hands on a wall with one foot back.",
            "Press the heel down."),
        own(
            "figure-four-stretch", "Seated Figure-Four Stretch", .stretching, .beginner, [.glutes], by: [.time],
            Compendium.stretching, pose: "stretch-leg", sides: true, "Sit and set one ankle on the other knee.",
            "Lean forward with a straight back."),
        own(
            "hip-flexor-stretch", "Kneeling Hip Flexor Stretch", .stretching, .beginner, [.quadriceps], [.glutes],
            with: [.mat], by: [.time], Compendium.stretching, pose: "lunge", sides: true,
            "Kneel on one knee.", "Move the hips forward."),
        own(
            "butterfly-stretch", "Seated Butterfly Stretch", .stretching, .beginner, [.adductors], with: [.mat],
            by: [.time], Compendium.stretching, pose: "stretch-leg", "Sit with the soles together.",
            "Let the knees sink."),
        own(
            "upper-back-stretch", "Upper Back Stretch", .stretching, .beginner, [.middleBack], by: [.time],
            Compendium.stretching, pose: "stretch-back", "Fold the hands in front of the chest.",
            "Push them forward and round the upper back."),
        own(
            "shin-stretch", "Seated Shin Stretch", .stretching, .beginner, [.shins], by: [.time],
            Compendium.stretching, pose: "stretch-leg", sides: true, "Sit and set one ankle on the other knee.",
            "Pull the top of the foot gently down."),
    ]
}
