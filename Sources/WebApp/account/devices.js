// The devices on which the account is logged in, with the ways to log out.

import { h, toast } from "../kit/dom.js";
import { dayText, momentText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { isOnlyOffline } from "../kit/loadable.js";
import { loading } from "../kit/loading.js";
import { logOut } from "./logout.js";

/** The card of devices: `{element, load()}`. */
export function makeDevicesCard(app) {
  const { net } = app;
  const list = h("ul", { class: "rows", id: "devices" });
  const waiting = h("div", {}, loading(net));
  const problem = h("p", { class: "problem", role: "alert" });
  const fail = (text) => { problem.textContent = text; };

  function row(device) {
    const { client, platform, address, createdAt, lastUsedAt, current } = device;
    const name = platform ?? (client.startsWith("campanile-web") ? "Web app" : client);
    const used = `Last used ${momentText(lastUsedAt)}${address ? `, from ${address}` : ""}`;
    return h("li", { class: "row-item" }, icon("devices"),
      h("div", { class: "grow" }, h("strong", {}, name), " ",
        current ? h("span", { class: "tag" }, "This device") : null, h("p", { class: "muted small" }, used),
        h("p", { class: "muted small" }, `Logged in since ${dayText(createdAt)}`)),
      current ? null : h("button", { class: "button quiet", type: "button", "aria-label": `Log out ${name}`,
        onclick: () => revoke(device) }, "Log out"));
  }

  async function load() {
    try {
      const { devices } = await net.request("account.devices");
      fail("");
      waiting.replaceChildren();
      list.replaceChildren(...devices.map(row));
    } catch (error) {
      // The page loads again when the connection is back.
      if (isOnlyOffline(error, net)) return;
      waiting.replaceChildren();
      fail(error.message);
    }
  }

  async function revoke(device) {
    try {
      await net.request("account.logout", { device: device.id });
      toast("Device logged out.");
      await load();
    } catch (error) {
      fail(error.message);
    }
  }

  const leaveEverywhere = () => logOut(app, { isEverywhere: true, problem: fail });
  const element = h("section", { class: "card stack" },
    h("h2", {}, "Your devices"),
    // Above the list, which comes late and takes room: a button under a finger stays there.
    h("div", { class: "row" },
      h("button", { class: "button danger", type: "button", id: "logout-everywhere", onclick: leaveEverywhere }, "Log out everywhere")),
    problem, waiting, list);
  return { element, load };
}
