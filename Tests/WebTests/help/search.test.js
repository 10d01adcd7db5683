import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { permissions, problems } from "../../../Sources/WebApp/help/problems.js";
import { questions } from "../../../Sources/WebApp/help/questions.js";
import { search, suggestion } from "../../../Sources/WebApp/help/search.js";
import { topics } from "../../../Sources/WebApp/help/topics.js";

const all = [...questions, ...problems, ...topics, ...permissions];
const ids = (query) => search(all, query).map(({ id }) => id);

test("a search finds words in any order and case, with and without accents, from their first letters", () => {
  const small = [{ id: "a", title: "Café opening", text: "On the Überseeplatz" }, { id: "b", title: "Other", text: "Cafeteria" }];
  const found = (query) => search(small, query).map(({ id }) => id);
  for (const query of ["cafe", "CAFÉ", "Cafe\u0301", "caf"]) assert.deepEqual(found(query), ["a", "b"], query);
  assert.deepEqual(found("uberseeplatz opening café"), ["a"]);
  assert.deepEqual(found("afe"), []);
  assert.deepEqual(found("  "), []);
});

test("what people type finds its answer first", () => {
  const expected = {
    "battery": "battery", "How do I hide my home?": "hidehome", "forgot password": "reset", "gps": "noposition", "DARK": "theme",
    "delete my account": "leave", "no notifications": "nopush", "firefox": "allowfirefox", "block someone": "block", "iphone location": "allowiossafari",
    "lost phone": "lostfactor", "who can see me": "whosees", "offline": "offline", "quiet hours": "notifications", "join event": "joinevent",
  };
  for (const [query, id] of Object.entries(expected)) assert.ok(ids(query).slice(0, 3).includes(id), `${query}: ${ids(query).slice(0, 5)}`);
});

test("a misspelt search suggests one that finds something; nonsense suggests nothing", () => {
  const suggested = { batery: "battery", pasword: "password", "privat zonne": "privat zone", lcoation: "location", notificatoins: "notifications" };
  for (const [query, near] of Object.entries(suggested)) {
    assert.equal(suggestion(all, query), near);
    assert.ok(search(all, near).length > 0);
  }
  assert.equal(suggestion(all, "qqqqxyz"), null);
  assert.deepEqual(ids("qqqqxyz"), []);
});
