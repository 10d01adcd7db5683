// The help for workouts and trainings: see topics.js. Pure.

export const trainingTopics = [
  {
    id: "workouts", pages: ["workouts", "workout", "recommended"], title: "Workouts",
    words: "strength cardio gym exercise plan recommended schedule start equipment warm-up cool-down sets reps video",
    text: "Your workouts, those that buddies shared with you, and recommended ones that fit your goals and body data.",
    points: [
      "A blue border marks a workout from a buddy. It is your own copy.",
      "Schedule a workout, and Campanile reminds you.",
      "Recommended workouts leave out what your injuries and conditions speak against, and say why.",
    ],
    links: [["/workouts", "Workouts"], ["/workouts/recommended", "Recommended workouts"]],
  },
  {
    id: "editworkout", pages: ["newworkout", "editworkout"], title: "Create a workout",
      words: "edit new superset sets reps rest exercise video tag",
    text: "Give the workout a name, and add exercises to its warm-up, main part and cool-down.",
    points: [
      "The arrows move an exercise, also into another part.",
      "The link symbol joins an exercise to the one above as a superset: their sets alternate.",
      "What you enter is kept on this device until you save it.",
    ],
    links: [["/workouts/new", "New workout"], ["/exercises", "Exercises"]],
  },
  {
    id: "exercises", pages: ["exercises", "exercise"], title: "Exercises", words: "catalogue muscle equipment level MET calories caution",
    text: "How each exercise is done, with a diagram, the muscles it trains, and its energy cost.",
    points: ["Filter by muscle, type, level, and the equipment you have.", "A warning says when an exercise isn't right for you now."],
    links: [["/exercises", "Exercises"]],
  },
  {
    id: "training", pages: ["training"], title: "During a workout",
    words: "timer pause rest set done skip heart rate bluetooth monitor sound vibration device continue offline",
    text: "Campanile leads you from set to set, with a timer for rests. It works without a network to the end.",
    points: [
      "Change reps, weight or time before you press Set done.",
      "“All exercises and sets” adds, changes or removes any set.",
      "Open the workout on another device, and press “Continue here” to go on there.",
      "A heart-rate monitor connects by Bluetooth in Chrome and Edge.",
    ],
    links: [["/workouts", "Workouts"]],
  },
  {
    id: "trainings", pages: ["trainings", "summary"], title: "Past workouts",
      words: "summary calories history note delete correct heart rate file zones",
    text: "What you have done: sets, reps, time, calories and your notes. Correct or delete them at any time.",
    points: [
      "Calories are estimates, from the weight you had on that day.",
      "Add a heart rate from a TCX, GPX or CSV file of your watch.",
    ],
    links: [["/trainings", "Past workouts"]],
  },
];
