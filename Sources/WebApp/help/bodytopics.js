// The help for body data, progress and training together. Pure.

/** As in topics.js. */
export const bodyTopics = [
  {
    id: "body", pages: ["body"], title: "Body data",
    words: "weight height injury injuries health condition goal period heart rate pulse pregnant asthma private medical",
    text: "What workouts, calories and heart-rate zones are worked out from. Only you see it.",
    points: [
      "Every change is saved as you make it.",
      "Workouts leave out what could make an injury or a condition worse. Choose Healed when an injury is over.",
      "After 30 days we ask before a workout whether it's all still right.",
      "It isn't medical advice. If in doubt, ask a doctor.",
    ],
    links: [["/insights", "Progress"], ["/settings/data", "Download or delete your data"]],
  },
  {
    id: "insights", pages: ["insights"], title: "Progress",
    words: "analytics statistics chart table week month year steps calories distance goal today minutes workouts upcoming",
    text: "Your workouts, steps, calories, distance, heart rate and weight by day or week. Only you see it.",
    points: [
      "Set goals for your day and your week with Edit goals.",
      "Add your steps and your resting heart rate by hand under Today. Without an entry, steps are estimated from your runs.",
      "Active calories are those beyond rest, total calories include them. Both are estimates.",
      "“Show as table” below a chart has its exact figures.",
    ],
    links: [["/body", "Body data"]],
  },
  {
    id: "together", pages: ["together", "newgroup", "livegroup", "shareworkout"], title: "Training together",
    words: "live group buddies invite join workout event chat host zone share copy leave end",
    text: "Do a workout with your buddies at the same time, in one place or apart, and see how far everyone is.",
    points: [
      "Invite buddies, a group chat, or the people of an event. They can join late, leave and come back.",
      "The others see your exercise, your set and your rests. Your heart-rate zone is shown only if you share it.",
      "The host can remove people and end the group. Everyone's own workout goes on.",
      "“Share a workout” gives a buddy a copy to keep. You can't take it back.",
    ],
    links: [["/together", "Train together"], ["/buddies", "Buddies"]],
  },
];
