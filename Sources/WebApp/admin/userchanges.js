// An admin's changes of an account, and problems in them. Pure.

import { roleNames } from "./parts.js";
import { newUserProblems } from "../kit/validate.js";

/** Changed members of a user, as `admin.editUser` takes them. */
export function changesOf(user, { username, email, role }) {
  return {
    ...(username !== user.username && { username }), ...(email !== "" && { email }), ...(role !== user.role && { role }),
  };
}

/** Whether the server asks for the admin's own password: for an email, for a new admin, and for any change of an admin. */
export function needsPassword(user, changes) {
  return Boolean(changes.email) || changes.role === "admin" || (user.role === "admin" && Object.keys(changes).length > 0);
}

/** Changes in plain words. */
export function changesText({ username, email, role }) {
  return [username && `New username: ${username}.`, email && `New email: ${email}.`, role && `New role: ${roleNames[role]}.`]
    .filter(Boolean).join(" ");
}

/** Problems of changes, by field; empty without problems. The values are those of the form. */
export function problemsOf(user, changes, { username, email, password }) {
  const problems = newUserProblems({ username, email: email || "unchanged@example.org" });
  if (problems.username || problems.email) {
    return { ...(problems.username && { username: problems.username }), ...(problems.email && { email: problems.email }) };
  }
  if (Object.keys(changes).length === 0) return { username: "Change something first." };
  return needsPassword(user, changes) && password === "" ? { password: "Enter your password." } : {};
}
