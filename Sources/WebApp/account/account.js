// The account: who is logged in, where, and logging out here or everywhere.

import { partsOf, roleNames } from "../admin/parts.js";
import { announce, confirmDialog, h, toast } from "../kit/dom.js";
import { count, dayText, timeText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { withWhom } from "../sharing/words.js";
import { chooseUnit, unitChoice, unitChoices } from "../kit/units.js";
import { makeGoalCard } from "../history/goalcard.js";

export function show(root, _params, { net, events, router, tracker, chat, sharing, reporter }) {
  if (!net.account) {
    router.go("/login?next=/account", { replace: true });
    return undefined;
  }
  const list = h("ul", { class: "rows", id: "devices" });
  const problem = h("p", { class: "problem", role: "alert" });
  const goal = makeGoalCard({ net, events }, { withTotals: true });
  const { username, email, role, picture = "/app/assets/person.svg" } = net.account;

  root.append(h("div", { class: "page stack" },
    h("h1", { tabindex: "-1" }, "Account"),
    h("section", { class: "card account-card" },
      h("img", { class: "avatar", id: "account-picture", src: picture, width: "60", height: "60", alt: "Your profile picture" }),
      h("div", {}, h("h2", { id: "account-name" }, username), h("p", { class: "muted" }, email ?? ""),
        h("p", { class: "muted small" }, roleNames[role] ?? role))),
    h("nav", { class: "row", "aria-label": "More pages" }, h("a", { class: "button", href: "/history" }, icon("history"), "History"),
      h("a", { class: "button", href: "/sharing", id: "to-sharing" }, icon("share"), "Sharing"),
      h("a", { class: "button", href: "/settings/notifications", id: "to-notifications" }, icon("bell"), "Notifications"),
      h("a", { class: "button", href: "/settings/privacy", id: "to-privacy" }, icon("lock"), "Privacy"),
      h("a", { class: "button", href: "/map/places", id: "to-saved-places" }, icon("bookmark"), "Places"),
      partsOf(role).length > 0 ? h("a", { class: "button", href: "/admin", id: "to-admin" }, icon("admin"), "Campus admin") : null,
      role === "admin" ? h("a", { class: "button", href: "/reports" }, icon("flag"), "Reports") : null),
    goal.element, unitsCard(),
    h("section", { class: "card stack" },
      h("h2", {}, "Where you are logged in"),
      // Above what comes late and takes room: what is under a finger stays there.
      h("div", { class: "row" },
        h("button", { class: "button", type: "button", id: "logout", onclick: () => logOut("account.logout") }, "Log out here"),
        h("button", { class: "button danger", type: "button", id: "logout-everywhere", onclick: () => logOut("account.logoutEverywhere") },
          "Log out everywhere")),
      problem, list)));

  async function logOut(method) {
    problem.textContent = "";
    const isEverywhere = method === "account.logoutEverywhere";
    // What this device tells ends with it; without any device nobody could stop anything.
    const isEnd = isEverywhere || reporter.isHere;
    const waiting = tracker.unsent;
    const running = tracker.record ? " A session is still being recorded here; it goes on when you log in again." : "";
    const messages = chat.sender.entries.length;
    const unsent = messages > 0 ? `${count(messages, "message")} ${messages === 1 ? "is" : "are"} not sent yet and will be lost. ` : "";
    const text = shareWords(isEnd) + unsent + (waiting > 0
      ? `${waiting} points are not sent yet. They stay on this device and are sent when you log in again.${running}`
      : isEverywhere ? `Every device has to log in again.${running}` : `You can still watch the map.${running}`)
      + (isEverywhere ? " Calendar feeds, shared links and reminders stop working, too: set them up again when you need them." : "");
    const sure = await confirmDialog(
      { id: "logout-dialog", title: method === "account.logout" ? "Log out here?" : "Log out everywhere?", text, confirm: "Log out" });
    if (!sure) return;
    try {
      // Who is logged out can stop nothing any more.
      // A wish to stop all is kept until it is heard: not one for nothing, which would end what is begun on another device meanwhile.
      const isWanted = isEnd && (!sharing.isLoaded || sharing.working.length > 0 || (isEverywhere && net.state === "live"));
      const isStopped = await (isWanted ? sharing.stop("all") : sharing.settle());
      if (!isStopped) {
        problem.textContent = `You are still logged in: `
          + `${net.state === "live" ? "the server did not answer" : "there is no connection"}, and what you shared has not ended there. `
          + `This device tells nothing more. Try again in a moment.`;
        return;
      }
      await net.request(method);
      // The next share chooses its device anew.
      if (isEnd) reporter.setHere(false);
      net.signedOut();
      announce("Logged out.");
      router.go("/");
    } catch (error) {
      problem.textContent = error.message;
    }
  }

  /** What becomes of one's shares, for the question whether to log out. */
  function shareWords(isEnd) {
    const { working } = sharing;
    if (working.length === 0) return "";
    const what = `You share where you are ${working.length === 1 ? `with ${withWhom(working[0])}` : `in ${working.length} ways`}`;
    return isEnd ? `${what}: that ends now. ` : `${what}, begun on another device: that goes on, and can then be stopped only there. `;
  }

  async function load() {
    try {
      const { devices } = await net.request("account.devices");
      list.replaceChildren(...devices.map((device) => h("li", { class: "row-item" }, icon("devices"),
        h("div", { class: "grow" }, h("strong", {}, device.client ?? "Unknown client"), device.current ? h("span", { class: "tag" }, "this one") : null,
          h("p", { class: "muted small" },
            `Since ${dayText(device.createdAt)}, last used ${dayText(device.lastUsedAt)} ${timeText(device.lastUsedAt)}`)),
        device.current ? null : h("button",
          { class: "button quiet", type: "button", "aria-label": `Log out ${device.client ?? "this device"}`,
            onclick: () => revoke(device) }, "Log out"))));
    } catch (error) {
      problem.textContent = error.message;
    }
  }

  async function revoke(device) {
    try {
      await net.request("account.logout", { device: device.id });
      toast("Logged out on that device.");
      await load();
    } catch (error) {
      problem.textContent = error.message;
    }
  }

  load();
  const leaveIfSignedOut = () => { if (!net.account) router.go("/", { replace: true }); };
  net.addEventListener("account", leaveIfSignedOut);
  return () => {
    goal.close();
    net.removeEventListener("account", leaveIfSignedOut);
  };
}

function unitsCard() {
  const choice = h("select", { id: "speed-unit", onchange: () => {
    chooseUnit(choice.value);
    announce("Saved on this device.");
  } }, ...unitChoices.map(({ value, name }) => h("option", { value, selected: value === unitChoice() }, name)));
  return h("section", { class: "card stack" }, h("h2", {}, "Units"),
    h("div", { class: "field" }, h("label", { for: "speed-unit" }, "Pace and speed"), choice,
      h("p", { class: "hint" }, "Used everywhere on this device.")));
}
