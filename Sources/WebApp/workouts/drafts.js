// Drafts of workouts, by the UUID of the workout or `new`.

import { Drafts } from "../kit/drafts.js";

export const workoutDrafts = new Drafts("campanile.workoutDraft.", { most: 10 });
