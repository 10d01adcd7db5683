// A swipe of a card: its distance, and the decision when it is let go. Pure.

/** Sideways movement before it counts as a swipe: below, it may be a tap or become a scroll. */
const axisPixels = 10;

/** How far a card must be moved sideways until letting go decides, in pixels, for a card of this width. */
export function decidingDistance(width) {
  return Math.min(150, Math.max(80, width * 0.3));
}

/** State of a card moved by `dx`: `{side, progress, decides}`; `side` is `accept`, `pass` or null, `progress` 0 to 1. */
export function swipeState(dx, width) {
  const distance = decidingDistance(width);
  const side = dx > 0 ? "accept" : dx < 0 ? "pass" : null;
  return { side, progress: Math.min(1, Math.abs(dx) / distance), decides: Math.abs(dx) >= distance };
}

/** From pointer positions to a decision. A movement that begins up or down is a scroll and stays one. */
export class Swipe {
  #width;
  #from = null;
  #axis = null;
  #dx = 0;

  constructor(width) {
    this.#width = width;
  }

  begin(x, y) {
    this.#from = { x, y };
    this.#axis = null;
    this.#dx = 0;
  }

  /** `{dx, side, progress, decides}`, or null while it is no swipe. */
  move(x, y) {
    if (!this.#from) return null;
    const dx = x - this.#from.x;
    const dy = y - this.#from.y;
    if (this.#axis === null && Math.hypot(dx, dy) >= axisPixels) this.#axis = Math.abs(dx) > Math.abs(dy) ? "x" : "y";
    if (this.#axis !== "x") return null;
    this.#dx = dx;
    return { dx, ...swipeState(dx, this.#width) };
  }

  /** `accept`, `pass`, or null when the card springs back. */
  end() {
    const { side, decides } = swipeState(this.#dx, this.#width);
    const isSwipe = this.#axis === "x";
    this.cancel();
    return isSwipe && decides ? side : null;
  }

  cancel() {
    this.#from = null;
    this.#axis = null;
    this.#dx = 0;
  }
}
