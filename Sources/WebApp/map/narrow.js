// Where the panel of a map lies below it; elsewhere it stands beside the map, also on a phone that is held on its side.

/** The same as in map.css and sharing/sharing.css. */
export const narrow = matchMedia(
  "(max-width: 499px), (max-width: 760px) and (orientation: portrait), (max-width: 760px) and (min-height: 521px)");
