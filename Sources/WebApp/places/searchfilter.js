// The address of a search: its text and filters. Pure.

/** The filters of the query of an address. */
export function filterOf(query) {
  return {
    kind: query.get("kind") ?? "", isOpen: query.get("open") === "1", isStepFree: query.get("stepfree") === "1",
    zone: /^\d+$/.test(query.get("zone") ?? "") ? query.get("zone") : "",
  };
}

/** The address of a search. */
export function addressOf(text, { kind, isOpen, isStepFree, zone }) {
  const query = new URLSearchParams({
    ...(text && { q: text }), ...(kind && { kind }), ...(isOpen && { open: "1" }),
    ...(isStepFree && { stepfree: "1" }), ...(zone && { zone }),
  });
  return query.size > 0 ? `/search?${query}` : "/search";
}
