// The text of a search and of its results. Pure.

/** Shorter ASCII texts are not searched for. A single character of another script may be a word. */
const searchCharactersMin = 2;
const excerptCharactersMax = 180;
/** An excerpt begins before the first match when that is further on than this. */
const leadCharactersMax = 60;
const leadCharacters = 30;

/** Whether a text is too short to search messages for it. */
export function isShortSearch(text) {
  return [...text].length < searchCharactersMin && /^[\p{ASCII}]*$/u.test(text);
}

/** The part of a message around the first of the words, as `[{text, isMatch}]`. */
export function searchExcerpt(text, words) {
  const plain = text.replace(/\s+/g, " ").normalize("NFC");
  const wanted = words.normalize("NFC").split(/\s+/).filter(Boolean).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(wanted.join("|"), "giu");
  const first = plain.search(pattern);
  const from = first > leadCharactersMax ? plain.lastIndexOf(" ", first - leadCharacters) + 1 : 0;
  const end = from + excerptCharactersMax;
  const shown = (from > 0 ? "… " : "") + plain.slice(from, end) + (plain.length > end ? "…" : "");
  const parts = [];
  let at = 0;
  for (const match of shown.matchAll(pattern)) {
    parts.push({ text: shown.slice(at, match.index), isMatch: false }, { text: match[0], isMatch: true });
    at = match.index + match[0].length;
  }
  return [...parts, { text: shown.slice(at), isMatch: false }];
}
