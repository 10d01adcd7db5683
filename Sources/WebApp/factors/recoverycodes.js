// Recovery codes, shown once: to copy, to download, to print.

import { h, toast } from "../kit/dom.js";
import { openDialog } from "../kit/dialog.js";

const addressLifeMilliseconds = 60_000;

/** Opens the dialog with new codes; returns it. */
export function showRecoveryCodes(codes) {
  const button = (id, label, run) => h("button", { class: "button", type: "button", id, onclick: run }, label);
  const dialog = openDialog({ id: "recovery-codes", title: "Your recovery codes", content: h("div", { class: "stack" },
    h("p", {}, "If you lose your phone or passkey, each of these codes logs you in once, after your password. "
      + "Keep them somewhere safe: you can't see them again."),
    h("ol", { class: "codes", id: "codes" }, ...codes.map((code) => h("li", {}, h("code", {}, code)))),
    h("div", { class: "row no-print" },
      button("copy-codes", "Copy", () => copy(codes)), button("download-codes", "Download", () => download(codes)),
      button("print-codes", "Print", () => print())),
    h("button", { class: "button primary wide no-print", type: "button", id: "codes-saved", onclick: () => dialog.close() },
      "I've saved them")) });
  return dialog;
}

async function copy(codes) {
  try {
    await navigator.clipboard.writeText(codes.join("\n"));
    toast("Codes copied.");
  } catch {
    toast("Couldn't copy. Select the codes and copy them yourself.");
  }
}

function download(codes) {
  const text = `Campanile recovery codes for ${location.host}\nEach works once.\n\n${codes.join("\n")}\n`;
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = h("a", { href: url, download: "campanile-recovery-codes.txt" });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), addressLifeMilliseconds);
}
