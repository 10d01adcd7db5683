import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { equipments, exerciseTypes, muscles, workoutPlaces } from "../../../Sources/WebApp/client/registry.js";
import { muscleShapes } from "../../../Sources/WebApp/workouts/bodymap.js";
import { poses } from "../../../Sources/WebApp/workouts/poses.js";
import { readVideo } from "../../../Sources/WebApp/videos/links.js";
import { withTag } from "../../../Sources/WebApp/workouts/plan.js";
import { clockText, equipmentName, equipmentText, muscleName, placeName, secondsText, setText, setsText, typeName } from "../../../Sources/WebApp/workouts/words.js";

test("sets read as a person says them", () => {
  assert.equal(setText({ reps: 12, kilograms: 40 }), "12 × 40 kg");
  assert.equal(setText({ reps: 1 }), "1 rep");
  assert.equal(setText({ reps: 12, kilograms: 0 }), "12 reps");
  assert.equal(setText({ seconds: 45 }), "45 s");
  assert.equal(setText({ metres: 400, seconds: 120 }), "400 m in 2 min");
  assert.equal(setText({ metres: 1_500 }), "1.5 km");
  assert.equal(setText({}), "As many as you like");
  assert.equal(setsText([{ reps: 8 }, { reps: 8 }, { reps: 8 }]), "3 sets of 8 reps");
  assert.equal(setsText([{ reps: 8 }, { reps: 6 }]), "8 reps, 6 reps");
});

test("spans of time are short", () => {
  assert.deepEqual([45, 60, 90, 3_600, 3_900].map(secondsText), ["45 s", "1 min", "1:30 min", "1 h", "1 h 5 min"]);
  assert.deepEqual([5, 65, 3_725].map(clockText), ["0:05", "1:05", "1:02:05"]);
});

test("each value of the protocol has a name that starts with a capital and has no camel case", () => {
  const names = [[equipments, equipmentName], [muscles, muscleName], [exerciseTypes, typeName], [workoutPlaces, placeName]]
    .flatMap(([values, name]) => values.map(name));
  assert.deepEqual(names.filter((name) => !/^[A-Z]/.test(name) || /[a-z][A-Z]/.test(name)), []);
  assert.equal(equipmentText([]), "No equipment");
  assert.equal(equipmentText(["mat", "ezBar"]), "Exercise mat, ez bar");
});

test("each muscle has a shape, and each named diagram a figure on the grid", () => {
  assert.deepEqual(Object.keys(muscleShapes).sort(), [...muscles].sort());
  const named = "stand squat lunge hinge push-up plank side-plank press-overhead press-lying row pull-up curl extension raise crunch twist bridge "
    + "step jump run cycle row-machine swim stretch-leg stretch-arm stretch-back balance breathe";
  assert.deepEqual(Object.keys(poses).sort(), named.split(" ").sort());
  for (const [name, { label, from, to }] of Object.entries(poses)) {
    assert.ok(label.length > 5, name);
    for (const { head, lines } of [from, to].filter(Boolean)) {
      const points = [head, ...lines.flatMap((line) => line.split(" ").map((point) => point.split(",").map(Number)))];
      assert.ok(points.every(([x, y]) => x >= 0 && x <= 120 && y >= 0 && y <= 100), name);
    }
  }
});

test("a video of this server or of a known player plays here, others open in a new tab", () => {
  const origin = "https://campus.example";
  const read = (url) => readVideo(url, origin);
  assert.deepEqual(read("https://campus.example/videos/warm.mp4"), { host: "campus.example", isPlayable: true, player: null });
  assert.deepEqual(read("https://example.org/warm.mp4"), { host: "example.org", isPlayable: false, player: null });
  const player = "https://www.youtube-nocookie.com/embed/abcdefghi_-?autoplay=1&rel=0";
  for (const url of [
    "https://www.youtube.com/watch?v=abcdefghi_-", "https://youtu.be/abcdefghi_-", "https://m.youtube.com/watch?list=x&v=abcdefghi_-",
    "https://youtube.com/shorts/abcdefghi_-", "https://www.youtube-nocookie.com/embed/abcdefghi_-?autoplay=0",
  ]) assert.equal(read(url).player, player, url);
  assert.equal(read("https://youtu.be/abcdefghi_-?t=1m30s").player, `${player}&start=90`);
  assert.equal(read("https://youtu.be/abcdefghi_-?t=99999999").player, player);
  assert.equal(read("https://vimeo.com/12345/0a1b2c3d").player, "https://player.vimeo.com/video/12345?autoplay=1&dnt=1&h=0a1b2c3d");
  for (const url of [
    "https://www.youtube.com/watch?v=1", "https://youtu.be/", "https://youtube.com.example.org/watch?v=abcdefghi_-", "https://vimeo.com/about",
    "https://youtu.be/abcdefghi_-%22%3E", "https://www.youtube.com/@somebody",
  ]) assert.equal(read(url).player, null, url);
  for (const url of ["javascript:alert(1)", "http://example.org/a.mp4", "no address"]) assert.equal(read(url), null, url);
});

test("a tag is kept once, short, and at most ten times", () => {
  assert.deepEqual(withTag(["Legs"], " legs "), ["Legs"]);
  assert.deepEqual(withTag([], " full   body "), ["full body"]);
  assert.equal(withTag([], "x".repeat(50))[0].length, 30);
  const ten = Array.from({ length: 10 }, (_, index) => String(index));
  assert.equal(withTag(ten, "new"), ten);
});
