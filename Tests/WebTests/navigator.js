// Gives Node.js the languages of a browser, for modules that format dates: imported before them.

if (!globalThis.navigator) globalThis.navigator = { languages: ["en"] };
