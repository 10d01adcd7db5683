// The dialog that saves a place under a name, or renames it.

import { h, toast } from "../kit/dom.js";
import { uuid } from "../client/uuid.js";
import { makeField, makeForm } from "../kit/form.js";
import { openDialog } from "../kit/dialog.js";

const nameCharactersMax = 120;

/**
 * Asks for a name, then saves `{name?, lat, lon, place?, clientId?}` or renames `{id, name}`; `saved(place)` gets the place as the server
 * has it, or with `isWaiting` when that waits for the connection. A place that waits has its `clientId` as `id`.
 */
export function openSavePlace({ net, where, saved: taken = (_place) => {} }) {
  const isNew = !where.id;
  const clientId = where.clientId ?? (typeof where.id === "string" ? where.id : uuid());
  const name = makeField({
    name: "name", label: "Name", value: where.name ?? "", maxlength: nameCharactersMax, autocomplete: "off",
    placeholder: "Where I meet Ben", id: "saved-name",
  });
  const form = makeForm({
    id: "save-place-form", fields: [name], submitLabel: isNew ? "Save place" : "Rename",
    check: (values) => (values.name === "" ? { name: "Enter a name." } : {}),
    async send(values) {
      const { lat, lon, place: campusPlace } = where;
      // Of a place with a `clientId` that was sent meanwhile the server changes the name.
      const params = typeof where.id === "number" ? { id: where.id, name: values.name }
        : { clientId, name: values.name, ...(campusPlace ? { place: campusPlace } : { lat, lon }) };
      const shown = { lat, lon, ...(campusPlace && { place: campusPlace }), savedAt: where.savedAt ?? new Date().toISOString() };
      const saved = await net.writes.write("saved.save", params, shown);
      const place = saved ?? { ...shown, id: where.id ?? clientId, name: values.name, isWaiting: true };
      dialog.close();
      if (saved) toast(isNew ? `${place.name} saved.` : `Renamed to ${place.name}.`);
      taken(place);
    },
  });
  const content = h("div", { class: "stack" }, isNew ? h("p", { class: "muted" }, "Only you see saved places.") : null, form);
  const dialog = openDialog({ id: "save-place", title: isNew ? "Save place" : "Rename place", content });
  name.input.focus();
  name.input.select();
}
