// A read-only window into the app for browser tests and measurements: `window.campanile`.

/** Readings of features that have not started. */
const before = {
  sharing: { working: 0, withMe: 0, isLoaded: false, duty: "off", toldAt: null, trouble: null },
  chat: { unread: 0, open: null, outbox: 0, lastOffset: null, epoch: null, isLoaded: false },
  notices: { unread: 0, known: 0, position: null, isLoaded: false },
};

/** Defines `window.campanile`. `app` gets its features when they start. */
export function exposeReadings({ app, campus }) {
  const { net, roster, inspection } = app;
  Object.defineProperty(window, "campanile", {
    value: Object.freeze({
      runners: () => inspection.readings.runners(),
      clusters: () => inspection.readings.clusters(),
      people: () => inspection.readings.people(),
      labels: () => inspection.readings.labels(),
      names: () => inspection.readings.names(),
      me: () => inspection.readings.me(),
      get sharing() { return app.sharing ? sharingOf(app) : { ...before.sharing }; },
      get connection() { return { state: net.state, account: net.account?.username ?? null, clockOffset: net.clock.offset,
        topics: roster.viewport.topics.size, reading: net.reading + (net.replies?.writing ?? 0) }; },
      get view() { return { topics: [...roster.viewport.topics], awaited: roster.viewport.awaited.size, known: roster.entries.size,
        ...roster.viewport.counts }; },
      get drawing() { return { ...inspection.readings.drawing() }; },
      get route() { return { ...inspection.readings.route() }; },
      get heat() { return { ...inspection.readings.heat() }; },
      get chat() { return app.chat ? chatOf(app.chat) : { ...before.chat }; },
      get notices() { return app.notices ? noticesOf(app.notices) : { ...before.notices }; },
      get campus() { return { zones: (net.campus?.zones ?? []).map(({ name }) => name), drawn: campus.names }; },
      get tracking() { return app.tracker?.record ? trackingOf(app.tracker) : null; },
    }),
  });
}

function sharingOf({ sharing, reporter }) {
  return { working: sharing.working.length, withMe: sharing.withMe.length, isLoaded: sharing.isLoaded,
    duty: reporter.duty, toldAt: reporter.toldAt, trouble: reporter.trouble?.code ?? null };
}

function chatOf(chat) {
  const opened = chat.opened(chat.shown);
  return { unread: chat.unread, open: chat.shown, outbox: chat.sender.entries.length, lastOffset: opened?.log.offset ?? null,
    epoch: opened?.log.epoch ?? null, isLoaded: chat.inbox.isLoaded };
}

function noticesOf({ unread, log, isLoaded }) {
  return { unread, known: log.items.size, position: log.position, isLoaded };
}

function trackingOf({ record, unsent }) {
  return { state: record.state, session: record.id, unsent };
}
