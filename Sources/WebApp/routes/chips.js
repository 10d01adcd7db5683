// Where the words beside points of a route find room on the map. Pure.

const letterPixels = 7.2;
const edgePixels = 20;
const heightPixels = 26;
const gapPixels = 12;

/** `{side, box}` of a chip with a text beside a point, `{x, y}`: on the side with more room. */
function chipAt({ x, y }, text, width) {
  const long = text.length * letterPixels + edgePixels;
  const isRight = x < width / 2;
  const left = isRight ? x + gapPixels : x - gapPixels - long;
  return { side: isRight ? "right" : "left", box: { left, right: left + long, top: y - heightPixels / 2, bottom: y + heightPixels / 2 } };
}

const overlap = (one, other) => (
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom);

/** The sides of the chips, `right`, `left` or null where there is no room beside the chips before; `chips` are `[{point, text}]`. */
export function placeChips(chips, width) {
  const taken = [];
  return chips.map(({ point, text }) => {
    const { side, box } = chipAt(point, text, width);
    if (taken.some((one) => overlap(one, box))) return null;
    taken.push(box);
    return side;
  });
}
