// What the document loads after the first page, declared there in the template `later`: styles, and in a release the modules of the
// features, which then load beside their entry.

/** Adds it where the template stands. Resolves when the styles are loaded, also when that fails: pages work without. */
export async function addLater() {
  const template = /** @type {HTMLTemplateElement | null} */ (document.getElementById("later"));
  if (!template) return;
  const styles = [.../** @type {NodeListOf<HTMLLinkElement>} */ (template.content.querySelectorAll("link[rel=stylesheet]"))];
  const loaded = styles.map((link) => new Promise((resolve) => { link.onload = link.onerror = resolve; }));
  template.replaceWith(template.content);
  await Promise.all(loaded);
}
