// Words about places. Pure.

/** `lecture_hall` in words. */
export const kindWords = (name) => String(name).replaceAll("_", " ");
