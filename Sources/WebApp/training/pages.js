// The pages of trainings, as shell/pages.js describes them.

export const pages = [
  { name: "trainings", path: "/trainings", title: "Past workouts", tab: "track", load: () => import("./past.js") },
  { name: "training", path: "/training/:id", title: "Workout in progress", tab: "track", load: () => import("./training.js") },
  { name: "summary", path: "/training/:id/summary", title: "Summary", tab: "track", load: () => import("./summary.js") },
];
