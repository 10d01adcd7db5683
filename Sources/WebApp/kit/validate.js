// The rules of U-1 and U-2 with their messages, word for word. Pure; the server checks the same again.

import { textLengths } from "../client/registry.js";

const { username: usernameLengths, password: passwordLengths } = textLengths;

export const messages = {
  registerEmpty: "Username/Email/Password cannot be Empty!!!",
  loginEmpty: "Email/Password cannot be Empty!!!",
  usernameLength: `Username must be between ${usernameLengths.min}-${usernameLengths.max} characters long!!!`,
  usernameCharacters: "Your username cannot contain invalid characters!!!",
  email: "Invalid Email!!!",
  passwordLength: `Password must be between ${passwordLengths.min}-${passwordLengths.max} characters long!!!`,
  passwordContent: "At least 1 capital [A-Z] and 1 number [0-9]!!!",
  passwordRepeat: "Password mismatch",
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

function passwordProblem(password) {
  if (!hasLength(password, passwordLengths)) return messages.passwordLength;
  return /[A-Z]/.test(password) && /[0-9]/.test(password) ? null : messages.passwordContent;
}

function repeatProblem(password, again) {
  return password === again ? null : messages.passwordRepeat;
}

/** Problems of a registration, as `{field: message}`; empty when there are none. */
export function registerProblems({ username, email, password, again }) {
  const problems = {};
  for (const [field, value] of Object.entries({ username, email, password })) {
    if (value.trim() === "") problems[field] = messages.registerEmpty;
  }
  if (Object.keys(problems).length > 0) return problems;
  const found = { username: usernameProblem(username), email: emailProblem(email), password: passwordProblem(password) };
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
export function firstPasswordProblems({ password, again }) {
  const message = passwordProblem(password);
  if (message) return { password: message };
  const repeated = repeatProblem(password, again);
  return repeated ? { again: repeated } : {};
}

/** Problems of a change of the password, as `{field: message}`. */
export function newPasswordProblems({ password, newPassword, again }) {
  const found = firstPasswordProblems({ password: newPassword, again });
  return {
    ...(password === "" && { password: "Enter your current password." }),
    ...(found.password && { newPassword: found.password }),
    ...(found.again && { again: found.again }),
  };
}
