// Readings of the map that is shown, for browser tests and measurements.

/** Readings without a map. */
const nothing = {
  runners: () => [], clusters: () => [], people: () => [], labels: () => [], names: () => [], me: () => null,
  drawing: () => ({}), heat: () => ({}), route: () => ({}),
};

/** Gives access to what the shown map draws: a page with a map registers its readings, and removes them when it ends. */
export class MapInspection {
  #readings = nothing;

  /**
   * The readings of the shown map: `runners()`, `clusters()`, `people()`, `labels()`, `names()`, `me()`, `drawing()`, `heat()` and
   * `route()`.
   */
  get readings() {
    return this.#readings;
  }

  /**
   * Makes `readings` those of the shown map; the others are empty. Returns a function that removes them.
   * @param {Partial<typeof nothing>} readings
   */
  register(readings) {
    const registered = { ...nothing, ...readings };
    this.#readings = registered;
    return () => { if (this.#readings === registered) this.#readings = nothing; };
  }
}
