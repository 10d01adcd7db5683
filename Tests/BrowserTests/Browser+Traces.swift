import Wire

extension Browser {
    /// Where the browser still has the account's name, address, token or words.
    func traces(of account: Account) async throws -> [String] {
        try await script(
            """
            const marks = ['\(account.username)', '\(account.email)', 'secret words'], found = [];
            const look = (where, value) => { const text = JSON.stringify(value) ?? ''; if (marks.some((mark) => text.includes(mark))) found.push(where); };
            look('localStorage', { ...localStorage });
            look('sessionStorage', { ...sessionStorage });
            for (const key of ['campanile.token', 'campanile.account']) if (localStorage.getItem(key) !== null) found.push(key);
            for (const { name } of await indexedDB.databases()) {
              const database = await new Promise((done) => { const request = indexedDB.open(name); request.onsuccess = () => done(request.result); });
              for (const store of database.objectStoreNames) {
                const all = await new Promise((done) => { const request = database.transaction(store).objectStore(store).getAll(); request.onsuccess = () => done(request.result); });
                look(`${name}.${store}`, all);
                if (all.some(({ account }) => account === \(account.id))) found.push(`${name}.${store} by number`);
              }
              database.close();
            }
            for (const name of await caches.keys()) {
              const cache = await caches.open(name);
              for (const request of await cache.keys()) look(request.url, [request.url, await (await cache.match(request)).text()]);
            }
            return found;
            """, as: [String].self)
    }
}
