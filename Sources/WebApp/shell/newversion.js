// A newer version of the app (U-9): found when a reply to `hello` names another than that of the page, or when the browser finds a changed
// worker. No DOM.

/** A person who closes the notice gets it again for a still newer version alone. */
export class NewVersion {
  #own;
  #net;
  #update;
  #show;
  #offered = null;
  #wasOutdated = false;

  /**
   * `own` is the version of this page. `update()` has the browser fetch the new files, and resolves when they are there or cannot be had.
   * `show(kind)` shows the notice: `ready`, or `outdated` when the server no longer supports this version.
   */
  constructor({ own, net, update, show }) {
    this.#own = own;
    this.#net = net;
    this.#update = update;
    this.#show = show;
    net.addEventListener("state", () => this.#compare());
    this.#compare();
  }

  /** The browser has a changed worker, whatever the server says. */
  found() {
    this.#offer(this.#net.webApp ?? "worker");
  }

  #compare() {
    const { state, webApp, isOutdated } = this.#net;
    if (state !== "live") return;
    if (isOutdated && !this.#wasOutdated) {
      this.#show("outdated");
      this.#update();
    }
    this.#wasOutdated = isOutdated;
    if (!isOutdated && webApp !== null && webApp !== this.#own) this.#offer(webApp);
  }

  async #offer(version) {
    if (this.#offered === version || this.#wasOutdated) return;
    this.#offered = version;
    await this.#update();
    if (!this.#wasOutdated) this.#show("ready");
  }
}
