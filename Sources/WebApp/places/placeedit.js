// Editing the page of a place, for those who manage it.

import { openDialog } from "../kit/dialog.js";
import { h, toast } from "../kit/dom.js";
import { makeForm } from "../kit/form.js";
import { detailParams, detailProblems, makeDetailFields } from "./detailfields.js";
import { makePlacePictures } from "./placepictures.js";

/** Opens the form of the place with that number; `page` is the reply to `places.page`, `saved(page)` gets the one after the change. */
export function openPlaceEdit({ net, pictures }, { place, page, saved }) {
  const scope = pictures.scope();
  const fields = makeDetailFields(page);
  const pictureField = makePlacePictures({ net, scope, value: page.pictures });
  const form = makeForm({
    id: "edit-place-form", fields: Object.values(fields), submitLabel: "Save",
    check: (values) => detailProblems(values),
    async send(values) {
      if (pictureField.isBusy) throw new Error("A picture is still being uploaded. Wait a moment.");
      const pictures = pictureField.value;
      const hasOthers = pictures.join() !== (page.pictures ?? []).join();
      const result = await net.request("places.edit", { place, ...detailParams(values), ...(hasOthers && { pictures }) });
      dialog.close();
      toast(`${result.destination.name} saved.`);
      saved(result);
    },
  });
  form.prepend(pictureField.element);
  const console = net.account?.role === "admin" ? h("p", {}, h("a", { class: "link", href: `/admin/places?place=${place}` },
    "Name, position and manager are in the console")) : null;
  const dialog = openDialog({ id: "edit-place-dialog", title: `Edit ${page.destination.name}`,
    content: h("div", { class: "stack" }, h("p", { class: "muted" }, "Everyone sees what you write here."), form, console) });
  dialog.addEventListener("close", () => {
    pictureField.close();
    scope.close();
  });
  // A link in the dialog leads to another page.
  dialog.addEventListener("click", ({ target }) => { if (/** @type {Element} */ (target).closest("a[href^='/']")) dialog.close(); });
}
