// The icons of directions: see kit/icons.js.

import { addIcons } from "../kit/icons.js";

addIcons({
  "turn-straight": "M12 20V4M6.5 9.5 12 4l5.5 5.5",
  "turn-left": "M18 20v-8a3 3 0 0 0-3-3H5M9.5 4.5 5 9l4.5 4.5",
  "turn-right": "M6 20v-8a3 3 0 0 1 3-3h10M14.5 4.5 19 9l-4.5 4.5",
  "turn-slight-left": "M15 20v-7L7.5 5.5M7.5 12V5.5H14",
  "turn-slight-right": "M9 20v-7l7.5-7.5M16.5 12V5.5H10",
  enter: "M14 4h5v16h-5M4 12h10M10 8l4 4-4 4",
  lift: "M5 3.5h14v17H5zM9 11l3-3.5 3 3.5M9 14.5l3 3.5 3-3.5",
  stairs: "M4 19h4v-4h4v-4h4V7h4",
  swap: "M8 4v15M4.5 15.5 8 19l3.5-3.5M16 20V5M12.5 8.5 16 5l3.5 3.5",
  route: "M6 20.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M18 8.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M8.5 18H15a3.5 3.5 0 0 0 0-7H9" +
    "a3 3 0 0 1 0-6h6.5",
  walk: "M13 5.5a1.800 1.800 0 1 0 0-3.600 1.800 1.800 0 0 0 0 3.600M9 21.5l2.5-6.5-2-3 1.5-4.5 3.5 3.5 3 1M14.5 21.5l-1.5-5-2-2" +
    "M8 11.5l.5-2L11 7.5",
});
