import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { modules, text } from "../tree.js";

globalThis.addEventListener = () => {};
const { initials, personName } = await import("../../../Sources/WebApp/kit/person.js");

test("a person has one name on every page; the reader is You, and a person without a name is Someone", () => {
  assert.equal(personName({ account: 7, name: "Ada" }), "Ada");
  assert.equal(personName({ account: 7, name: "Ada" }, 7), "You");
  assert.equal(personName({ account: 8, name: "" }, 7), "Someone");
  assert.equal(personName({ name: "Ada" }, null), "Ada");
});

test("initials are the first letters of the first and the last word", () => {
  assert.deepEqual(["Ben Castro", "anna", "  ", "Jean Luc Godard", "🐢 turtle"].map(initials), ["BC", "A", "?", "JG", "🐢T"]);
});

test("names of people and their round pictures are made in one module", () => {
  const others = modules().filter((path) => path !== "kit/person.js");
  assert.deepEqual(others.filter((path) => /class: "(avatar|person-photo)/.test(text(path))), []);
  assert.deepEqual(others.filter((path) => /name \|\| "Someone"/.test(text(path))), []);
});
