// The rules of U-1 and U-2 with their messages, word for word. Pure; the server checks the same again, and refuses common passwords, too.

import { textLengths } from "../client/registry.js";

const { username: usernameLengths, password: passwordLengths } = textLengths;

const passwordRules = {
  composed: { min: 8, max: 20, isComposed: true, hint: "8-20 characters, with at least 1 capital letter and 1 number." },
  length: { ...passwordLengths, isComposed: false, hint: "At least 8 characters. A few words together are easy to remember." },
};

/** The operator's rule for new passwords, from `/config.json`: `{min, max, isComposed, hint}`. Without it only the server checks. */
export function passwordRule(config) {
  return passwordRules[config?.passwordRule] ?? { ...passwordRules.length, hint: "At least 8 characters." };
}

export const messages = {
  registerEmpty: "Username/Email/Password cannot be Empty!!!",
  loginEmpty: "Email/Password cannot be Empty!!!",
  usernameLength: `Username must be between ${usernameLengths.min}-${usernameLengths.max} characters long!!!`,
  usernameCharacters: "Your username cannot contain invalid characters!!!",
  email: "Invalid Email!!!",
  passwordContent: "At least 1 capital [A-Z] and 1 number [0-9]!!!",
  passwordRepeat: "Password mismatch",
  missing: "Missing inputs",
  usernameInvalid: "Invalid Username",
};

const emailShape = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/;

/** Whether a text has so many characters; one outside the basic plane counts once. */
function hasLength(text, { min, max }) {
  const { length } = [...text];
  return length >= min && length <= max;
}

function emailProblem(email) {
  return emailShape.test(email.trim()) ? null : messages.email;
}

function usernameProblem(username) {
  if (!hasLength(username, usernameLengths)) return messages.usernameLength;
  return /^[A-Za-z0-9]+$/.test(username) ? null : messages.usernameCharacters;
}

function passwordProblem(password, rule) {
  if (!hasLength(password, rule)) return `Password must be between ${rule.min}-${rule.max} characters long!!!`;
  return !rule.isComposed || (/[A-Z]/.test(password) && /[0-9]/.test(password)) ? null : messages.passwordContent;
}

function repeatProblem(password, again) {
  return password === again ? null : messages.passwordRepeat;
}

/** Problems of a registration, as `{field: message}`; empty when there are none. `rule` is that of `passwordRule`. */
export function registerProblems({ username, email, password, again }, rule) {
  const problems = {};
  for (const [field, value] of Object.entries({ username, email, password })) {
    if (value.trim() === "") problems[field] = messages.registerEmpty;
  }
  if (Object.keys(problems).length > 0) return problems;
  const found = { username: usernameProblem(username), email: emailProblem(email), password: passwordProblem(password, rule) };
  found.again = found.password ? null : repeatProblem(password, again);
  return Object.fromEntries(Object.entries(found).filter(([, message]) => message !== null));
}

/** Problems of a login before it is sent, as `{field: message}`. */
export function loginProblems({ email, password }) {
  const problems = {};
  if (email.trim() === "") problems.email = messages.loginEmpty;
  if (password === "") problems.password = messages.loginEmpty;
  if (Object.keys(problems).length === 0 && emailProblem(email)) problems.email = messages.email;
  return problems;
}

/** Problems of another username, as `{field: message}` (U-3). */
export function newUsernameProblems({ username }) {
  if (username.trim() === "") return { username: messages.missing };
  return usernameProblem(username) ? { username: messages.usernameInvalid } : {};
}

/** Problems of an address alone, as `{field: message}`. */
export function emailProblems({ email }) {
  const message = emailProblem(email);
  return message ? { email: message } : {};
}

/** Problems of a new account that an admin makes, as `{field: message}`. Its owner chooses the password later. */
export function newUserProblems({ username, email }) {
  const found = { username: usernameProblem(username), email: emailProblem(email) };
  return Object.fromEntries(Object.entries(found).filter(([, message]) => message !== null));
}

/** Problems of a first password and its repetition, as `{field: message}`. */
export function firstPasswordProblems({ password, again }, rule) {
  const message = passwordProblem(password, rule);
  if (message) return { password: message };
  const repeated = repeatProblem(password, again);
  return repeated ? { again: repeated } : {};
}

/** Problems of a change of the password, as `{field: message}`. */
export function newPasswordProblems({ password, newPassword, again }, rule) {
  const found = firstPasswordProblems({ password: newPassword, again }, rule);
  return {
    ...(password === "" && { password: "Enter your current password." }),
    ...(found.password && { newPassword: found.password }),
    ...(found.again && { again: found.again }),
  };
}
