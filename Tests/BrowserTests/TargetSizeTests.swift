import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

extension WebSharing {
    /// Anna with a phone goes through the pages, each with something on it; so does an admin.
    @Suite("Within a finger's reach")
    struct TargetSizeTests {
        /// What every page has to keep: controls of 44 pixels each way (the house's measure; WCAG 2.5.8 asks for 24), but for links within
        /// a sentence; and whatever scrolls can be reached with a keyboard.
        static let findings = """
            const least = 43.5;
            const isPositioned = (e) => getComputedStyle(e).position !== "static";
            const reach = (element) => {
              let { width, height } = element.getBoundingClientRect();
              for (const part of ["::before", "::after"]) {
                const style = getComputedStyle(element, part);
                if (style.content === "none" || style.position !== "absolute") continue;
                let host = element;
                while (host && !isPositioned(host)) host = host.parentElement;
                const box = (host ?? document.body).getBoundingClientRect();
                const [top, right, bottom, left] = ["top", "right", "bottom", "left"].map((side) => parseFloat(style[side]));
                if (![top, right, bottom, left].every(Number.isFinite)) continue;
                [width, height] = [Math.max(width, box.width - left - right), Math.max(height, box.height - top - bottom)];
              }
              return [width, height];
            };
            const isText = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "";
            const isInText = (e) => getComputedStyle(e).display === "inline" && [...e.parentElement.childNodes].some((node) => node !== e && isText(node));
            const root = document.querySelector("dialog[open]") ?? document;
            const kinds = "a[href], button, input:not([type=hidden]), select, textarea, summary";
            const controls = [...root.querySelectorAll(`${kinds}, [role=button]`)]
              .filter((e) => e.checkVisibility({ visibilityProperty: true }) && !e.matches(".skip, .visually-hidden"))
              .filter((e) => !e.closest("[inert], .leaflet-control-attribution") && !isInText(e))
              .map((e) => (e.matches("input") && e.closest("label")) || e);
            const name = (e) => `${e.tagName} #${e.id} .${e.getAttribute("class")} “${e.textContent.trim().slice(0, 24)}”`;
            const small = [...new Set(controls)].map((e) => [e, ...reach(e)])
              .filter(([, width, height]) => width > 1 && height > 1 && Math.min(width, height) < least)
              .map(([e, width, height]) => `${name(e)}: ${Math.round(width)} × ${Math.round(height)}`);
            const scrolling = [...root.querySelectorAll("*")].filter((e) => /auto|scroll/.test(getComputedStyle(e).overflow))
              .filter((e) => e.scrollHeight > e.clientHeight + 1 || e.scrollWidth > e.clientWidth + 1)
              .filter((e) => e.checkVisibility() && !e.closest("[inert]") && e.tabIndex < 0 && !e.querySelector(`${kinds}, [tabindex='0']`));
            return [...small, ...scrolling.map((e) => `${name(e)} scrolls and has no focus`)];
            """

        /// Goes to a page as a link of the app does, and checks it.
        private func check(_ path: String, _ browser: Browser) async throws {
            try await browser.script(
                """
                document.querySelector('main h1')?.setAttribute('data-before', '');
                const link = Object.assign(document.createElement('a'), { href: '\(path)' });
                document.body.append(link);
                link.click();
                link.remove();
                return true;
                """)
            try await browser.wait(
                "\(path) is drawn",
                "document.querySelector('main h1:not([data-before])') && !document.querySelector('main [aria-busy=true], main .loading:not([hidden])')"
            )
            let findings = try await browser.script(Self.findings, as: [String].self)
            #expect(findings.isEmpty, "\(path)")
        }

        @Test(
            "Every control is 44 pixels each way on the narrowest phone and in a message's menu; AllPagesTests has all pages"
        )
        func narrow() async throws {
            let server = try await WebRoot.start()
            let (anna, ben, conversation) = try await Person.buddies(on: server)
            let browser = anna.browser
            try await anna.page.open("/")
            try await browser.setSize(width: 320, height: 568)
            try await check("/buddies/profile", browser)
            try await browser.setScreen(.phone)
            try await anna.page.open("/chats/\(conversation)")
            try await anna.say("Shall we run?", withButton: true)
            try await anna.pressLong("Shall we run?")
            #expect(try await browser.script(Self.findings, as: [String].self).isEmpty, "a message's menu")
            for person in [anna, ben] { try await person.leave() }
            await server.stop()
        }

        @Test(
            "A message of the app has a row of its own: it covers no heading and no control, and goes by a tap or a swipe"
        )
        func messages() async throws {
            let server = try await WebRoot.start()
            let (anna, ben, conversation) = try await Person.buddies(on: server)
            let third = try await Person.ready(
                Profile(firstName: "Carla", lastName: "Diaz", birthday: "2002-01-09", gender: .female), at: ben.page)
            let browser = anna.browser
            let covered = """
                const { toast } = await import("/app/kit/dom.js");
                toast("Carla Diaz: see you at the gate, and bring the blue shoes", { action: { label: "Open", run() {} }, seconds: null });
                toast("Pin set.", { seconds: null });
                await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
                const row = document.getElementById("toasts").getBoundingClientRect();
                const inPage = [...document.querySelectorAll("main :is(h1, h2, a, button, input), .bar a, .tabs a, .message")]
                  .filter((e) => e.checkVisibility() && !e.closest("[inert]"));
                // What is scrolled out of its part of the page is not there to be covered.
                const isShown = (e) => {
                  const { left, top, width, height } = e.getBoundingClientRect();
                  const at = document.elementFromPoint(left + width / 2, top + height / 2);
                  return at === e || e.contains(at) || Boolean(at?.closest("#toasts"));
                };
                const lies = ({ top, bottom }) => bottom > row.top + 1 && top < row.bottom - 1;
                return inPage.filter(isShown).filter((e) => lies(e.getBoundingClientRect())).map((e) => e.outerHTML.slice(0, 90));
                """
            for path in ["/buddies", "/chats/\(conversation)", "/map", "/account"] {
                try await anna.page.open(path)
                try await browser.wait("\(path)", "document.querySelector('main h1')")
                if path == "/buddies" { try await browser.wait("the deck", "document.querySelector('.decide.accept')") }
                #expect(try await browser.script(covered, as: [String].self).isEmpty, "\(path)")
                try await browser.shots("toasts\(path.replacing("/", with: "-"))")
            }
            #expect(try await browser.text("document.getElementById('toasts').role") == "status")
            #expect(
                try await browser.script("return document.querySelectorAll('#toasts .toast').length", as: Int.self) == 2
            )
            try await browser.tap("#toasts .toast:last-child .toast-text")
            try await browser.wait("one is gone", "document.querySelectorAll('#toasts .toast').length === 1")
            try await browser.drag("#toasts .toast .toast-text", by: 140)
            try await browser.lift()
            try await browser.wait("both are gone", "!document.querySelector('#toasts .toast')")
            for person in [anna, ben, third] { try await person.leave() }
            await server.stop()
        }
    }
}
