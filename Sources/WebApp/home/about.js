// About Campanile: what the server is, and where developers of other apps begin.

import { h } from "../kit/dom.js";
import { makeLoadable } from "../kit/loadable.js";
import { settingsFrame } from "../settings/frame.js";
import { factsOf } from "./facts.js";

/** Serves `/about`. */
export function show(root, _params, app) {
  const { net } = app;
  const facts = h("dl", { class: "facts about-facts", id: "about-facts" });
  const server = makeLoadable({
    net, fetch: () => net.request("server.info"),
    draw: (info) => {
      facts.replaceChildren(...factsOf(info).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
      server.element.replaceChildren(facts);
    },
  });
  root.append(settingsFrame(app, "about", [
    h("h1", { tabindex: "-1" }, "About Campanile"),
    h("p", { class: "lead" }, "Your campus, live: runs and rides, events, chats and people who share their location with you."),
    h("section", { class: "card stack" }, h("h2", {}, "This server"), server.element),
    h("section", { class: "card stack" }, h("h2", {}, "For developers"),
      h("p", {}, "Build your own app on the same API. Many tools read these descriptions."),
      h("ul", { class: "stack tight" },
        item("/api/openrpc.json", "Methods, as OpenRPC"),
        item("/api/asyncapi.json", "Topics and frames, as AsyncAPI"))),
    h("p", {}, h("a", { class: "link", href: "/licences" }, "Software and licences")),
  ]));
  server.load();
  const ended = new AbortController();
  net.addEventListener("state", () => { if (net.state === "live" && !server.isLoaded) server.load(); }, { signal: ended.signal });
  return () => {
    ended.abort();
    server.close();
  };
}

function item(href, text) {
  return h("li", {}, h("a", { class: "link", href, target: "_blank", rel: "noopener" }, text));
}
