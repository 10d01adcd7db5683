// "Where are you now?": asking, answering once, and reading the answer once.

import { announce, h, toast } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeMapView } from "../map/mapview.js";
import { makePeopleLayer } from "./peoplelayer.js";
import { ageText, placeText } from "./words.js";
import { uuid } from "../client/uuid.js";
import { openDialog } from "../kit/dialog.js";
import { makeRungs } from "./fields.js";
import { makePersonPicker } from "./whom.js";

const answerZoom = 17;

/** Asks somebody; `person` (`{account, name}`) is chosen already. */
export function openAsk({ net, pictures, sharing }, { person = null } = {}) {
  const scope = pictures.scope();
  const picker = makePersonPicker({ net, scope, person, name: "ask" });
  const problem = h("p", { class: "problem", role: "alert" });
  const submit = h("button", { class: "button primary", type: "submit", id: "ask-send" }, icon("question"), "Ask");
  let sent = { wish: null, clientId: null };
  const form = h("form", { class: "stack", novalidate: true, onsubmit: async (event) => {
    event.preventDefault();
    problem.textContent = "";
    if (!picker.check()) return;
    submit.disabled = true;
    try {
      const wish = picker.value();
      const key = JSON.stringify(wish);
      if (sent.wish !== key) sent = { wish: key, clientId: uuid() };
      const { to } = await sharing.ask({ clientId: sent.clientId, ...wish });
      dialog.close();
      toast(`Asked ${to.name}. They have 10 minutes to answer.`);
    } catch (error) {
      if (error.data?.field === "username") picker.refuse(error.message);
      else problem.textContent = error.message;
      submit.disabled = false;
    }
  } }, h("p", { class: "muted" }, "They choose how precise their answer is, or decline. You only see this one answer."),
  picker.element, problem, h("div", { class: "row dialog-actions" }, submit));
  const dialog = openDialog({ id: "ask", title: "Ask for location", content: form });
  dialog.addEventListener("close", () => scope.close());
}

/** Answers once, or declines. */
export function openAnswer({ sharing, reporter }, request) {
  const { name } = request.from;
  const rung = makeRungs({ name: "answer-precision", legend: `What should ${name} see?` });
  const problem = h("p", { class: "problem", role: "alert" });
  const run = (work) => async () => {
    problem.textContent = "";
    for (const button of [decline, send]) button.disabled = true;
    try {
      await work();
      dialog.close();
    } catch (error) {
      if (error.isNotFound) {
        problem.textContent = "This request has expired, was cancelled, or you've answered it.";
        sharing.load();
        return;
      }
      problem.textContent = error.text ?? error.message;
      for (const button of [decline, send]) button.disabled = false;
    }
  };
  const decline = h("button", { class: "button", type: "button", id: "answer-decline", onclick: run(async () => {
    await sharing.answer(request.id);
    toast(`Declined. ${name} will be told.`);
  }) }, "Decline");
  const send = h("button", { class: "button primary", type: "button", id: "answer-send", onclick: run(async () => {
    await reporter.tellOnce();
    const reply = await sharing.answer(request.id, rung.value);
    toast(`${name} can view this once: `
      + `${reply.location ? placeText({ state: "live", precision: rung.value, location: reply.location }) : "your location"}.`);
  }) }, icon("send"), "Send once");
  const dialog = openDialog({ id: "answer", title: `${name} asked for your location`, content: h("div", { class: "stack" },
    h("p", { class: "muted" }, "They can view your answer once. It doesn't start sharing. If you do nothing, the request expires."),
    rung.element, problem, h("div", { class: "row dialog-actions" }, decline, send)) });
}

/** Reads an answer, which is gone then. */
export async function openRead(app, request) {
  let reply;
  try {
    reply = await app.sharing.read(request.id);
  } catch (error) {
    toast(error.message);
    return;
  }
  const { location } = reply;
  const { name } = request.to;
  if (!location) {
    toast("This answer was already viewed or has expired. Ask again.");
    return;
  }
  const precision = location.place ? location.place.kind : location.source ? "exact" : Number.isFinite(location.lat) ? "zone" : "campus";
  const entry = { share: 0, person: request.to, precision, state: "live", location, isDirect: true };
  const words = `${placeText(entry)}, ${ageText(entry, app.net.clock.age(location.at))}`;
  const place = h("div", { class: "map" });
  const isOnMap = Number.isFinite(location.lat);
  let view = null;
  let isClosed = false;
  const dialog = openDialog({ id: "answered", title: `${name} was here`,
    content: h("div", { class: "stack" }, h("p", { id: "answered-words" }, h("strong", {}, words)),
    isOnMap ? h("div", { class: "answer-map" }, place) : null,
    h("p", { class: "notice small" }, icon("info"), "This answer is deleted when you close it.")) });
  announce(words);
  dialog.addEventListener("close", () => {
    isClosed = true;
    view?.destroy();
  });
  if (!isOnMap) return;
  makeMapView(place, app, { label: `Map: ${name}` }).then((made) => {
    if (isClosed) return made.destroy();
    view = made;
    const layer = makePeopleLayer(view.L, view.map, { clock: app.net.clock });
    view.map.setView([location.lat, location.lon], answerZoom, { animate: false });
    layer.draw([entry], { isLive: true });
    return undefined;
  }, (error) => place.append(h("p", { class: "map-problem notice warn" }, error.message)));
}
