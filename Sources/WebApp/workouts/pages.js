// The pages of workouts and exercises, as shell/pages.js describes them.

export const pages = [
  { name: "workouts", path: "/workouts", title: "Workouts", tab: "track", load: () => import("./list.js") },
  { name: "newworkout", path: "/workouts/new", title: "New workout", tab: "track", load: () => import("./editor.js") },
  { name: "recommended", path: "/workouts/recommended", title: "Recommended workouts", tab: "track", load: () =>
    import("./recommended.js") },
  { name: "workout", path: "/workouts/:id", title: "Workout", tab: "track", load: () => import("./workout.js") },
  { name: "editworkout", path: "/workouts/:id/edit", title: "Edit workout", tab: "track", load: () => import("./editor.js") },
  { name: "exercises", path: "/exercises", title: "Exercises", tab: "track", load: () => import("./exercises.js") },
  { name: "exercise", path: "/exercises/:source/:id", title: "Exercise", tab: "track", load: () => import("./exercise.js") },
];
