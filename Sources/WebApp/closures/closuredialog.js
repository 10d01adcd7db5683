// The dialog that closes a lift, a door or a path: now or for a period, with a reason.

import { uuid } from "../client/uuid.js";
import { openDialog } from "../kit/dialog.js";
import { h, toast } from "../kit/dom.js";
import { makeRadios } from "../kit/fields.js";
import { makeField, makeForm } from "../kit/form.js";
import { closeVerb, closedWord, periodProblems } from "./closurewords.js";

const reasonCharactersMax = 120;

/** Milliseconds of a local date and time; null when it is empty, NaN when it is none. */
const timeOf = (text) => (text === "" ? null : new Date(text).getTime());

/** Opens the dialog for an object of `admin.closable`; `saved(closure)` gets the closure. */
export function openClosureDialog({ net, object, saved }) {
  // The same for each attempt, so that a closure is made once however often it is sent.
  const id = uuid();
  const now = () => Date.now() + net.clock.offset;
  const reason = makeField({ name: "reason", label: "Reason", autocomplete: "off", maxlength: reasonCharactersMax,
    hint: "People on the way see it. Optional." });
  const from = makeField({ name: "from", label: "From", type: "datetime-local", autocomplete: "off" });
  const until = makeField({ name: "until", label: "Until", type: "datetime-local", autocomplete: "off",
    hint: "Leave empty if you don't know yet." });
  const when = makeRadios({ name: "when", label: "When", value: "now", changed: (value) => { from.element.hidden = value === "now"; },
    options: [{ id: "now", label: "Now" }, { id: "period", label: "For a period" }] });
  from.element.hidden = true;
  const startOf = (values) => (when.value === "now" ? null : values.from === "" ? NaN : timeOf(values.from));
  const form = makeForm({
    id: "closure-form", fields: [from, until, reason], submitLabel: closeVerb(object.kind),
    check: (values) => periodProblems({ from: startOf(values), until: timeOf(values.until) }, now()),
    send: async (values) => {
      const [start, end] = [startOf(values), timeOf(values.until)];
      const closure = await net.request("admin.saveClosure", {
        id, object: object.object, ...(values.reason && { reason: values.reason }),
        ...(start !== null && { from: new Date(start).toISOString() }), ...(end !== null && { until: new Date(end).toISOString() }),
      });
      dialog.close();
      toast(start === null ? `${object.name}: ${closedWord(object.kind).toLowerCase()}. People on the way get a new route.`
        : `${object.name}: planned.`);
      saved(closure);
    },
  });
  form.prepend(when.element);
  const dialog = openDialog({ id: "closure-dialog", title: object.name, content: h("div", { class: "stack" }, form) });
}
