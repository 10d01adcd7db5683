import assert from "node:assert/strict";
import { test } from "node:test";
import { withChanges } from "../../../Sources/WebApp/connection/waitingeffects.js";

const shown = (read, reply, changes, readParams = {}) => (
  withChanges(read, readParams, reply, changes.map(([method, params, more = {}]) => ({ method, params, at: 0, ...more })), 1));

test("settings are shown as they were chosen", () => {
  assert.deepEqual(shown("privacy.settings", { visits: false, heatmap: true }, [["privacy.saveSettings", { visits: true }]]),
    { visits: true, heatmap: true });
  const reminders = { leads: [60], kinds: [{ kind: "event", channels: ["push"] }, { kind: "goal", channels: [] }] };
  assert.deepEqual(shown("reminders.settings", reminders, [
    ["reminders.saveSettings", { kinds: [{ kind: "goal", channels: ["email"] }] }], ["reminders.saveSettings", { leads: [] }]]),
  { leads: [], kinds: [{ kind: "event", channels: ["push"] }, { kind: "goal", channels: ["email"] }] });
  const notices = { zones: [1, 2], quietHours: { from: "22:00" } };
  assert.deepEqual(shown("notices.settings", notices, [["notices.saveSettings", { zone: 1, isFollowed: false }]]),
    { zones: [2], quietHours: { from: "22:00" } });
  assert.deepEqual(shown("notices.settings", notices, [["notices.saveSettings", { quietHours: undefined }]]), { zones: [1, 2] });
});

test("a goal is shown with its new length and as it was reset", () => {
  const goal = { kilometres: 50, distance: 20_000, percent: 40, completedAt: null };
  const { kilometres, percent, distance } = shown("goals.get", goal, [["goals.save", { kilometres: 40 }]]);
  assert.deepEqual([kilometres, percent, distance], [40, 50, 20_000]);
  assert.equal(shown("goals.get", goal, [["goals.reset", { at: "2026-11-15T12:00:00Z" }]]).distance, 0);
});

test("private zones are shown as they will be; once it is saved, a new one has its number", () => {
  const home = { clientId: "c", name: "Home", lat: 1, lon: 2, size: "small" };
  const waiting = shown("privacy.zones", { zones: [{ id: 3, name: "Work" }] }, [["privacy.saveZone", home]]);
  assert.deepEqual(waiting.zones.map(({ id, isWaiting = false }) => [id, isWaiting]), [["c", true], [3, false]]);
  const saved = shown("privacy.zones", { zones: [] }, [["privacy.saveZone", home, { reply: { id: 4, name: "Home" } }]]);
  assert.deepEqual(saved, { zones: [{ id: 4, name: "Home" }] });
  assert.deepEqual(shown("privacy.zones", { zones: [{ id: 3, name: "Work" }] }, [["privacy.deleteZone", { zone: 3 }]]), { zones: [] });
});

test("messages are shown edited and deleted, and only those of their conversation", () => {
  const page = { head: 9, items: [{ offset: 7, event: { type: "message", text: "Hi" }, reactions: [] }] };
  const change = [["chat.edit", { conversation: 2, message: 7, text: "Hello" }]];
  assert.equal(shown("chat.history", page, change, { conversation: 2 }).items[0].event.text, "Hello");
  assert.equal(shown("chat.history", page, change, { conversation: 3 }), page);
  const deleted = shown("chat.history", page, [["chat.delete", { conversation: 2, message: 7 }]], { conversation: 2 });
  assert.ok(!JSON.stringify(deleted).includes("Hi") && deleted.items[0].event.deletedAt);
  const react = (on) => ["chat.react", { conversation: 2, message: 7, emoji: "x", on }];
  assert.deepEqual(shown("chat.history", page, [react(true)], { conversation: 2 }).items[0].reactions, [{ emoji: "x", by: [1] }]);
  assert.deepEqual(shown("chat.history", page, [react(true), react(false)], { conversation: 2 }).items[0].reactions, []);
});

test("the list of chats is shown without those that were left, declined or blocked, and with new names", () => {
  const list = { conversations: [{ id: 1, name: "A" }, { id: 2, name: "B", buddy: { account: 8 } }, { id: 3, name: "C" }] };
  assert.deepEqual(shown("chat.list", list, [
    ["group.leave", { conversation: 1 }], ["safety.block", { account: 8 }], ["group.rename", { conversation: 3, name: "D" }],
    ["group.answer", { conversation: 3, accept: true }]]).conversations, [{ id: 3, name: "D" }]);
  assert.deepEqual(shown("chat.list", list, [["group.answer", { conversation: 3, accept: false }]]).conversations.length, 2);
});

test("a block that waits is in the list of blocked people at once, and one that ends until it has ended", () => {
  const block = ["safety.block", { account: 8 }, { shown: { name: "Ben" } }];
  const [entry] = shown("safety.blocked", { blocked: [] }, [block]).blocked;
  assert.deepEqual([entry.person, entry.isWaiting], [{ account: 8, name: "Ben" }, true]);
  const blocked = { blocked: [{ person: { account: 8 } }] };
  assert.equal(shown("safety.blocked", blocked, [["safety.unblock", { account: 8 }]]).blocked[0].isWaiting, true);
  assert.deepEqual(shown("safety.blocked", blocked, [["safety.unblock", { account: 8 }, { reply: {} }]]).blocked, []);
  // The server has blocked them all the time.
  const again = shown("safety.blocked", blocked, [block, ["safety.unblock", { account: 8 }]]).blocked;
  assert.deepEqual(again.map(({ isWaiting }) => isWaiting), [true]);
  assert.equal(shown("safety.blocked", blocked, [["safety.unblock", { account: 8 }], block]).blocked[0].isWaiting, false);
  // Neither of the two has reached the server.
  assert.deepEqual(shown("safety.blocked", { blocked: [] }, [block, ["safety.unblock", { account: 8 }]]).blocked, []);
});

test("a link whose deletion waits is shown as such, and gone once it is deleted", () => {
  const links = { links: [{ id: 1 }, { id: 2 }] };
  const unlink = { session: 5, link: 2 };
  assert.deepEqual(shown("tracking.links", links, [["tracking.unlink", unlink]]), { links: [{ id: 1 }, { id: 2, isWaiting: true }] });
  assert.deepEqual(shown("tracking.links", links, [["tracking.unlink", unlink, { reply: {} }]]), { links: [{ id: 1 }] });
});

test("body data is shown as it will be, and asked about no more", () => {
  const data = { heightCentimetres: 170, injuries: [{ id: "a", from: "2026-01-02" }], conditions: [], goals: [], isStale: true };
  const changed = shown("body.get", data, [["body.save", { goals: ["buildMuscle"] }], ["body.save", { clear: ["heightCentimetres"] }],
    ["body.saveInjury", { id: "b", from: "2026-03-04" }], ["body.removeInjury", { id: "a" }]]);
  assert.deepEqual(changed, { injuries: [{ id: "b", from: "2026-03-04" }], conditions: [], goals: ["buildMuscle"], isStale: false,
    confirmedAt: "1970-01-01T00:00:00.000Z" });
  assert.equal(shown("body.get", data, [["body.confirm", {}]]).isStale, false);
  assert.deepEqual(shown("body.get", data, [["body.save", { goals: [] }, { reply: { isOfServer: true } }]]), { isOfServer: true });
});

test("weights are shown in the order of their days, and the latest is that of the body data", () => {
  const weights = [{ date: "2026-11-01", kilograms: 70 }, { date: "2026-11-20", kilograms: 69 }];
  const changes = [["body.saveWeight", { date: "2026-11-10", kilograms: 69.5 }], ["body.removeWeight", { date: "2026-11-01" }]];
  assert.deepEqual(shown("body.weights", { weights }, changes).weights.map(({ date }) => date), ["2026-11-10", "2026-11-20"]);
  assert.deepEqual(shown("body.get", { weight: weights[1] }, changes.slice(0, 1)).weight, weights[1]);
  assert.equal(shown("body.get", { weight: weights[1] }, [["body.saveWeight", { date: "2026-11-20", kilograms: 68 }]]).weight.kilograms, 68);
});

test("a figure of a day is shown in its span and today, and goals as they were set", () => {
  const insights = { from: "2026-11-23", to: "2026-11-29", days: [{ date: "2026-11-24", steps: 10 }], goals: { daySteps: 100 } };
  const today = shown("insights.get", insights, [["insights.saveDay", { date: "2026-11-23", steps: 5_000 }, { shown: { isToday: true } }]]);
  assert.deepEqual(today.days.map(({ date, steps }) => [date, steps]), [["2026-11-23", 5_000], ["2026-11-24", 10]]);
  assert.equal(today.today.steps, 5_000);
  const later = { ...insights, today: { date: "2026-11-24", steps: 10 } };
  const waited = [["insights.saveDay", { date: "2026-11-23", steps: 5_000 }, { shown: { isToday: true } }]];
  assert.deepEqual(shown("insights.get", later, waited).today, later.today);
  const earlier = { ...insights, today: { date: "2026-11-22", steps: 10, restingPulse: 60 } };
  const next = shown("insights.get", earlier, waited).today;
  assert.deepEqual([next.date, next.steps, next.restingPulse], ["2026-11-23", 5_000, undefined]);
  const cleared = shown("insights.get", later, [["insights.saveDay", { date: "2026-11-24", clear: ["steps"] }]]);
  assert.deepEqual([cleared.today.steps, cleared.today.clear, cleared.days[0].steps], [undefined, undefined, undefined]);
  const other = shown("insights.get", insights, [["insights.saveDay", { date: "2026-10-01", steps: 5_000 }]]);
  assert.equal(other.days.length, 1);
  assert.equal(other.today, undefined);
  assert.deepEqual(shown("insights.get", insights, [["insights.saveGoals", { weekMinutes: 90 }]]).goals, { weekMinutes: 90 });
});

test("a workout whose training ended or was deleted can be started again; one that goes on elsewhere is in progress", () => {
  const workout = { id: "w", status: "inProgress", training: "t" };
  const finish = ["training.finish", { training: "t" }];
  assert.deepEqual(shown("workouts.get", workout, [finish]), { id: "w", status: "completed" });
  assert.deepEqual(shown("workouts.list", { workouts: [workout, { ...workout, training: "u" }], next: 1 }, [["training.remove", { training: "t" }]]),
    { workouts: [{ id: "w", status: "notStarted" }, { ...workout, training: "u" }], next: 1 });
  const ignored = [[...finish, { reply: { state: "active" } }]];
  assert.deepEqual(shown("workouts.get", workout, ignored), workout);
  assert.deepEqual(shown("training.current", { trainings: [{ id: "t" }] }, ignored), { trainings: [{ id: "t" }] });
});
