// Numbered marks that would lie on one another. Pure.

/**
 * The indices of points `{x, y}` in groups, each of a point and the later ones within `pixels` of it. The first points of the groups are
 * farther apart.
 */
export function groupMarks(points, pixels) {
  const groups = [];
  for (const [index, { x, y }] of points.entries()) {
    const near = groups.find(([first]) => Math.hypot(points[first].x - x, points[first].y - y) < pixels);
    if (near) near.push(index);
    else groups.push([index]);
  }
  return groups;
}
