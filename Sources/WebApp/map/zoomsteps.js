// The zooms of a map: the widest, the nearest, and the step between those that fit a part of the map into the view.

export const zoomMin = 3;
export const zoomMax = 20;
export const zoomSnap = 0.25;
