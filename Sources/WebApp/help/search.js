// Searching the help: words in any case, with or without accents, in any order. Pure.

/** How much a word counts by where it is found. */
const weights = { title: 4, words: 3, text: 1 };
/** Words of questions, which say nothing about what is searched. */
const fillers = new Set((
  "a about an and any are at be by can cant could d did do does doesn don dont for from get has have how i if in into is isn it its ll m "
  + "me my no not of on or re s should so someone t that the their them then there they this to use want was we what when where which who "
  + "why will with won work works would you your").split(" "));
/** A misspelt word of at most this many letters differs in one of them, a longer one in two. */
const shortWordMax = 5;

/** A text without case and accents. */
export function folded(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ß", "ss").replaceAll("ø", "o").replaceAll("ł", "l");
}

/** The words of a text, folded. */
export function wordsOf(text) {
  return folded(text).split(/[^\p{L}\p{N}]+/u).filter(Boolean);
}

const textOf = ({ text, points = [], steps = [], links = [] }) => [text, ...points, ...steps, ...links.map(([, label]) => label)].join(" ");

/** The words of an entry by where they are. */
function indexOf(entry) {
  return { title: wordsOf(entry.title), words: wordsOf(entry.words ?? ""), text: wordsOf(textOf(entry)) };
}

/** How well one word fits: as the beginning of a word of the entry; 0 where there is none. */
function scoreOf(word, index) {
  return Math.max(...Object.entries(weights).map(([part, weight]) => (index[part].some((one) => one.startsWith(word)) ? weight : 0)));
}

/** The words that are searched for: without fillers, unless there is nothing else. */
function wantedOf(query) {
  const all = wordsOf(query);
  const telling = all.filter((word) => !fillers.has(word));
  return telling.length > 0 ? telling : all;
}

/** The entries in which all words are found, the best first. Each entry is `{title, text, points, steps, links, words}`. */
export function search(entries, query) {
  const wanted = wantedOf(query);
  if (wanted.length === 0) return [];
  return entries.map((entry) => {
    const index = indexOf(entry);
    const scores = wanted.map((word) => scoreOf(word, index));
    return { entry, score: scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0) };
  }).filter(({ score }) => score > 0).sort((one, other) => other.score - one.score).map(({ entry }) => entry);
}

/** A search that finds something and differs from the given one in misspelt words, or null. */
export function suggestion(entries, query) {
  const known = [...new Set(entries.flatMap((entry) => Object.values(indexOf(entry)).flat()))]
    .filter((word) => word.length > 2 && !fillers.has(word));
  const words = wantedOf(query).map((word) => (known.some((one) => one.startsWith(word)) ? word : nearest(word, known)));
  if (words.length === 0 || words.includes(null)) return null;
  const text = words.join(" ");
  return search(entries, text).length > 0 ? text : null;
}

/** The known word that differs in the fewest letters, if they are few enough. */
function nearest(word, known) {
  const most = word.length <= shortWordMax ? 1 : 2;
  let [best, least] = [null, most + 1];
  for (const one of known) {
    const difference = Math.abs(one.length - word.length) > most ? least : distance(word, one);
    if (difference < least) [best, least] = [one, difference];
  }
  return best;
}

/** Letters to insert, remove, change or swap with their neighbour (optimal string alignment). */
function distance(one, other) {
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row += 1) {
    rows.push([row]);
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      let least = Math.min(rows[row - 1][column] + 1, rows[row][column - 1] + 1, rows[row - 1][column - 1] + (isSame ? 0 : 1));
      const isSwapped = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (isSwapped) least = Math.min(least, rows[row - 2][column - 2] + 1);
      rows[row].push(least);
    }
  }
  return rows[one.length][other.length];
}
