// A distinct colour for each runner, the same on every screen: hues a golden angle apart by session id. Pure.

const goldenAngle = 137.50776405;

/** `{fill, ink}` for a session in a theme: `fill` stands out on the map, `ink` is readable on `fill`. */
export function runnerColour(session, theme) {
  const hue = Math.round((Number(session) * goldenAngle) % 360);
  const step = Number(session) % 3;
  if (theme === "dark") return { fill: `hsl(${hue} 78% ${62 + step * 6}%)`, ink: "#10141b" };
  // Yellow and green look lighter than blue at the same lightness, so they are taken darker.
  const bright = hue > 40 && hue < 195;
  return { fill: `hsl(${hue} ${bright ? 85 : 72}% ${(bright ? 29 : 42) + step * 4}%)`, ink: "#ffffff" };
}
