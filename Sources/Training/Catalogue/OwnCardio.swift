import Wire

extension ExerciseCatalogue {
    static let cardio: [Exercise] = [
        own(
            "walk", "Walk", .cardio, .beginner, [.calves], [.glutes, .quadriceps], by: [.time, .distance],
            Compendium.walking, pose: "stand", "Walk at a pace at which you can talk.", "Let the arms swing."),
        own(
            "brisk-walk", "Brisk Walk", .cardio, .beginner, [.calves], [.glutes, .quadriceps], by: [.time, .distance],
            Compendium.briskWalking, pose: "run", "Walk faster than usual, so that you breathe deeper.",
            "Roll from the heel to the toes."),
        own(
            "nordic-walking", "Nordic Walking", .cardio, .beginner, [.calves], [.triceps, .quadriceps],
            with: [.other], by: [.time, .distance], Compendium.poleWalking, pose: "run",
            "Hold a pole in each hand and walk.", "Push back with the pole of the opposite side."),
        own(
            "jog-walk", "Jog and Walk", .cardio, .beginner, [.quadriceps], [.calves, .hamstrings],
            by: [.time, .distance], Compendium.jogWalk, pose: "run", "Jog for one minute.", "Walk for two minutes.",
            "Repeat."),
        own(
            "easy-run", "Easy Run", .cardio, .beginner, [.quadriceps], [.calves, .hamstrings], by: [.time, .distance],
            Compendium.jogging, pose: "run", "Run at a pace at which you can talk in sentences.",
            "Take short, light steps."),
        own(
            "steady-run", "Steady Run", .cardio, .intermediate, [.quadriceps], [.calves, .hamstrings, .glutes],
            by: [.time, .distance], Compendium.runningAt6, pose: "run",
            "Run at an even pace that feels hard but steady.",
            "Relax shoulders and hands."),
        own(
            "tempo-run", "Tempo Run", .cardio, .expert, [.quadriceps], [.calves, .hamstrings, .glutes],
            by: [.time, .distance], Compendium.runningAt7, pose: "run", "Warm up first.",
            "Run at the fastest pace that you could hold for an hour."),
        own(
            "treadmill-walk", "Treadmill Incline Walk", .cardio, .beginner, [.calves], [.glutes, .quadriceps],
            with: [.treadmill], by: [.time, .distance], Compendium.uphillWalking, pose: "run",
            "Set the treadmill to a slight incline.", "Walk upright without holding on."),
        own(
            "treadmill-run", "Treadmill Run", .cardio, .intermediate, [.quadriceps], [.calves, .hamstrings],
            with: [.treadmill], by: [.time, .distance], Compendium.runningAt5, pose: "run",
            "Clip the safety key to your shirt.", "Raise the speed step by step and run in the middle of the belt."),
        own(
            "easy-cycling", "Easy Stationary Cycling", .cardio, .beginner, [.quadriceps], [.calves, .hamstrings],
            with: [.bicycle, .machine], by: [.time, .distance], Compendium.easyStationaryBicycle, pose: "cycle",
            "Set the saddle so that the knee is slightly bent at the lowest point.", "Pedal with little resistance."),
        own(
            "stationary-cycling", "Stationary Cycling", .cardio, .intermediate, [.quadriceps],
            [.calves, .hamstrings, .glutes], with: [.bicycle, .machine], by: [.time, .distance],
            Compendium.stationaryBicycle,
            pose: "cycle", "Pedal at 70 to 90 turns a minute.", "Choose a resistance that makes you breathe hard."),
        own(
            "cycling-intervals", "Stationary Cycling Intervals", .cardio, .expert, [.quadriceps],
            [.calves, .hamstrings, .glutes], with: [.bicycle, .machine], by: [.time], Compendium.hardStationaryBicycle,
            pose: "cycle", "Pedal hard for one minute.", "Pedal easily for two minutes.", "Repeat."),
        own(
            "outdoor-cycling", "Outdoor Bicycling", .cardio, .beginner, [.quadriceps], [.calves, .hamstrings],
            with: [.bicycle], by: [.time, .distance], Compendium.easyBicycling, pose: "cycle",
            caution: "Wear a helmet.", "Ride at a comfortable pace.", "Shift so that the legs turn quickly."),
        own(
            "rowing-machine", "Rowing Machine", .cardio, .beginner, [.middleBack], [.lats, .quadriceps, .hamstrings],
            with: [.rower], by: [.time, .distance], Compendium.rower, pose: "row-machine",
            "Push with the legs, then lean back, then pull the handle.", "Return in the opposite order."),
        own(
            "rowing-intervals", "Rowing Machine Intervals", .cardio, .intermediate, [.middleBack],
            [.lats, .quadriceps, .hamstrings], with: [.rower], by: [.time], Compendium.rowerAt150Watts,
            pose: "row-machine", "Row hard for one minute.", "Row easily for one minute.", "Repeat."),
        own(
            "elliptical", "Elliptical Trainer", .cardio, .beginner, [.quadriceps], [.glutes, .hamstrings],
            with: [.elliptical], by: [.time], Compendium.elliptical, pose: "run", "Stand upright and hold the handles.",
            "Move in a smooth rhythm."),
        own(
            "stair-climbing", "Stair Climbing", .cardio, .beginner, [.quadriceps], [.glutes, .calves],
            with: [.stairs], by: [.time], Compendium.slowStairs, pose: "step", "Climb at an even pace.",
            "Hold the rail on the way down."),
        own(
            "fast-stairs", "Fast Stair Climbing", .cardio, .intermediate, [.quadriceps], [.glutes, .calves],
            with: [.stairs], by: [.time], Compendium.fastStairs, pose: "step", "Climb quickly.",
            "Walk down slowly as a rest."),
        own(
            "marching", "Marching in Place", .cardio, .beginner, [.quadriceps], [.abdominals], by: [.time],
            Compendium.walking, pose: "stand", "Lift the knees in turn to a comfortable height.",
            "Swing the opposite arm."),
        own(
            "low-impact-aerobics", "Low-Impact Aerobics", .cardio, .beginner, [.quadriceps], [.glutes, .calves],
            by: [.time], Compendium.lowImpactAerobics, pose: "step",
            "Step from side to side with one foot on the floor.",
            "Add arm movements in the rhythm."),
        own(
            "shadow-boxing", "Shadow Boxing", .cardio, .beginner, [.shoulders], [.abdominals, .calves], by: [.time],
            Compendium.aerobics, pose: "stand", "Stand with one foot forward and guard the face.",
            "Throw light punches into the air and move."),
        own(
            "jumping-jack", "Jumping Jack", .cardio, .beginner, [.calves], [.shoulders, .quadriceps], by: [.time],
            Compendium.hardCalisthenics, pose: "jump", "Jump with the feet apart and raise the arms overhead.",
            "Jump back to the start."),
        own(
            "high-knees", "High-Knee Run in Place", .cardio, .intermediate, [.quadriceps], [.calves, .abdominals],
            by: [.time], Compendium.joggingInPlace, pose: "run", "Run in place and lift the knees to hip height."),
        own(
            "rope-skipping", "Rope Skipping", .cardio, .intermediate, [.calves], [.quadriceps, .shoulders],
            with: [.rope], by: [.time], Compendium.slowRope, pose: "jump", "Turn the rope from the wrists.",
            "Jump just high enough for the rope to pass."),
        own(
            "burpee", "Burpee", .cardio, .expert, [.quadriceps], [.chest, .shoulders, .abdominals],
            Compendium.hardCalisthenics, pose: "jump", "Squat and set the hands on the floor.",
            "Jump the feet back, then forward again.", "Jump up with the arms overhead."),
    ]

    static let explosive: [Exercise] = [
        own(
            "box-jump", "Box Jump", .plyometrics, .intermediate, [.quadriceps], [.glutes, .calves], with: [.box],
            Compendium.hardCalisthenics, pose: "jump", caution: "Step down instead of jumping down.",
            "Stand in front of a steady box.", "Swing the arms and jump onto it.", "Stand up, then step down."),
        own(
            "squat-jump", "Squat Jump", .plyometrics, .intermediate, [.quadriceps], [.glutes, .calves],
            Compendium.hardCalisthenics, pose: "jump", "Squat.", "Jump as high as you can.", "Land softly."),
        own(
            "lateral-bound", "Lateral Bound", .plyometrics, .intermediate, [.abductors], [.quadriceps, .glutes],
            Compendium.hardCalisthenics, pose: "jump", "Jump sideways from one foot to the other.", "Land softly."),
        own(
            "broad-jump", "Broad Jump", .plyometrics, .intermediate, [.glutes], [.quadriceps, .hamstrings],
            Compendium.hardCalisthenics, pose: "jump", "Swing the arms and jump forward.", "Land on both feet."),
        own(
            "medicine-ball-chest-throw", "Medicine Ball Chest Throw", .plyometrics, .beginner, [.chest],
            [.triceps, .shoulders], with: [.medicineBall], Compendium.circuit, pose: "press-lying",
            "Stand in front of a wall and hold the ball at the chest.", "Throw it against the wall.",
            "Catch and repeat."),
        own(
            "kettlebell-swing", "Kettlebell Swing", .strength, .intermediate, [.glutes], [.hamstrings, .lowerBack],
            with: [.kettlebell], by: [.reps, .weight], Compendium.hardCircuit, pose: "hinge",
            caution: "Keep the back flat and lift with the hips.", "Swing the kettlebell back between the legs.",
            "Drive the hips forward so that it floats to chest height."),
        own(
            "power-clean", "Power Clean", .olympicWeightlifting, .expert, [.hamstrings],
            [.quadriceps, .traps, .shoulders], with: [.barbell], by: [.reps, .weight], Compendium.hardResistance,
            pose: "hinge", caution: "Learn it with a coach and a light bar.", "Lift the bar with a flat back.",
            "Extend the hips and catch the bar on the shoulders."),
        own(
            "push-press", "Push Press", .olympicWeightlifting, .intermediate, [.shoulders], [.triceps, .quadriceps],
            with: [.barbell], by: [.reps, .weight], Compendium.hardResistance, pose: "press-overhead",
            "Hold the bar at the shoulders and dip the knees.", "Drive up and press the bar overhead."),
        own(
            "farmers-walk", "Farmer's Walk", .strongman, .beginner, [.forearms], [.traps, .abdominals],
            with: [.dumbbell], by: [.weight, .distance, .time], Compendium.hardResistance, pose: "stand",
            "Hold a heavy dumbbell in each hand.", "Walk upright with short steps.",
            "Set the dumbbells down with a flat back."),
        own(
            "sandbag-carry", "Sandbag Carry", .strongman, .intermediate, [.abdominals], [.lowerBack, .biceps],
            with: [.other], by: [.weight, .distance], Compendium.hardResistance, pose: "stand",
            "Hug a sandbag to the chest.", "Walk with short steps and a firm trunk."),
    ]
}
