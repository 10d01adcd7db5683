import CampanileClient
import TestSupport
import Testing
import Wire

extension WebAccounts {
    @Suite("Logging out (C-1, T-6)")
    struct LogOutTests {
        @Test(
            "Whoever logs out is asked, and leaves nothing in the browser: no key, no draft, no unsent edit, no theme, no database, no way back, nothing in memory; the next person sees nothing of it"
        )
        func nothingStays() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            let (connection, signedIn) = try await page.signIn()
            let account = signedIn.account
            _ = try await connection.call(
                AccountUpdateProfile.self,
                .init(firstName: "secret words", home: .init(lat: 51.5, lon: 8, name: "secret words")))
            _ = try await connection.call(AccountSaveSettings.self, .init(theme: .dark, units: .kmh, audience: .campus))
            for path in ["/map", "/chats", "/events", "/account", "/settings/profile"] { try await page.open(path) }
            try await browser.wait(
                "the settings are here",
                "document.documentElement.dataset.theme === 'dark' && document.getElementById('profile-firstName')?.value === 'secret words'"
            )
            try await browser.script(
                """
                localStorage.setItem('campanile.draft.\(account.id).1', '{"text":"secret words"}');
                localStorage.setItem('campanile.profileEdits.\(account.id)', '{"degree":"secret words"}');
                sessionStorage.setItem('campanile.map', '{"text":"secret words"}');
                const chatOutbox = new (await import('/app/chat/outbox.js')).ChatOutbox();
                await chatOutbox.put({ id: 'waits', order: 1, account: \(account.id), conversation: 1, text: 'secret words' });
                await navigator.serviceWorker.register('/sw.js');
                await navigator.serviceWorker.ready;
                window.before = 'secret words';
                return true;
                """)
            #expect(try await browser.traces(of: account).count > 2)
            await connection.close()
            try await browser.script(
                "document.querySelector('.settings-nav a[href=\"/settings\"]').click(); return true")
            try await browser.click("#logout")
            try await browser.wait(
                "a question",
                "document.getElementById('logout-dialog').textContent.includes('Nothing of your account stays')")
            try await browser.screenshot("logout-question-desktop")
            try await browser.click("#logout-dialog [data-answer=yes]")
            try await browser.wait(
                "a guest",
                "location.pathname === '/' && campanile.connection.account === null && document.getElementById('toasts').textContent.includes('Logged out.')"
            )
            try await page.live()
            #expect(
                try await browser.script(
                    "return !document.getElementById('toasts').textContent.includes('removed data')"),
                "a log-out is no loss")
            _ = try await eventually("nothing is left") {
                try await browser.traces(of: account).isEmpty ? true : nil
            }
            let keys = try await browser.script(
                "return [...Object.keys(localStorage), ...Object.keys(sessionStorage)]", as: [String].self)
            // Nothing of an account is in these.
            let allowed: Set = [
                "campanile.device", "campanile.clockOffset", "campanile.campus", "campanile.notices.guest",
                "campanile.runners.guest",
            ]
            #expect(Set(keys).subtracting(allowed) == [])
            #expect(
                try await browser.script(
                    """
                    const paths = [];
                    for (const name of await caches.keys()) for (const { url } of await (await caches.open(name)).keys()) paths.push(new URL(url).pathname);
                    return window.before === undefined && document.documentElement.dataset.theme === undefined
                      && paths.every((path) => !/^\\/(pictures|rpc|ws|account\\/data)/.test(path));
                    """))
            // The way back brings no page of the account.
            try await browser.script("history.back(); return true")
            _ = try await eventually("another page") {
                try await browser.script("return location.pathname !== '/' || history.length < 2") ? true : nil
            }
            try await page.live()
            #expect(
                try await browser.script(
                    "return campanile.connection.account === null && !document.documentElement.outerHTML.includes('secret words') && !document.documentElement.outerHTML.includes('\(account.username)')"
                ))

            // The next person at the same browser.
            let (another, next) = try await page.server.register()
            try await page.open("/login")
            try await browser.type(next.account.email, into: "#login-form [name=email]")
            try await browser.type(TestServer.password, into: "#login-form [name=password]")
            try await browser.click("#login-form-submit")
            try await browser.wait("logged in", "campanile.connection.account === '\(next.account.username)'")
            for path in ["/settings/profile", "/settings/appearance", "/settings/location", "/track"] {
                try await page.open(path)
                try await browser.wait("drawn", "document.querySelector('main h1')")
                #expect(
                    try await browser.script(
                        "return !/secret words|\(account.username)/.test(document.documentElement.outerHTML)"),
                    "\(path)")
            }
            try await browser.wait("its own audience", "document.querySelector('#start-form [value=private]').checked")
            #expect(try await browser.script("return document.documentElement.dataset.theme === undefined"))
            await another.close()
            try await page.expectQuietConsole(except: ["favicon.ico"])
        }
    }
}
