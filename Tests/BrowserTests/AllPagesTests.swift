import CampanileClient
import Foundation
import Synchronization
import TestSupport
import Testing
import Wire

extension WebSharing {
    /// Every route of the web app, as a person, an admin or a guest with something on it.
    @Suite("Every page")
    struct AllPagesTests {
        /// A page to visit, with a text that it has when its content is there.
        private struct Stop {
            let path: String
            var text = ""

            init(_ path: String, _ text: String = "") { (self.path, self.text) = (path, text) }
        }

        /// A size and a theme in which pages are checked, with the rules of axe-core that are checked there: all of them if nil.
        private struct Display {
            let name: String
            let screen: Browser.Screen
            var scale = 1
            var isDark = false
            var rules: String?
        }

        /// How much axe-core checks of each page.
        private enum Extent: String {
            /// Each rule where its outcome can differ: colours are the same on a desktop, names and roles in the dark.
            case usual
            /// All rules in both themes at all sizes.
            case all

            /// What the variable `CAMPANILE_AXE` says.
            static func chosen() throws -> Extent {
                let value = ProcessInfo.processInfo.environment["CAMPANILE_AXE"] ?? ""
                if value.isEmpty { return .usual }
                return try #require(
                    Extent(rawValue: value), "CAMPANILE_AXE is “\(value)”; allowed is “all”, or leave it unset")
            }

            var displays: [Display] {
                let light = [
                    Display(name: "phone", screen: .phone), Display(name: "200 %", screen: .phone, scale: largeText),
                    Display(name: "desktop", screen: .desktop),
                ]
                switch self {
                case .all:
                    return light.flatMap { display in
                        var dark = display
                        dark.isDark = true
                        return [display, dark]
                    }
                case .usual:
                    var (dark, large) = (light[0], light[1])
                    (dark.isDark, dark.rules, large.rules) = (true, Browser.axeColorRules, layoutRules)
                    var largeDark = large
                    largeDark.isDark = true
                    return [light[0], dark, large, largeDark, light[2]]
                }
            }
        }

        /// What was visited, how often axe-core checked a page, and what was found.
        private struct Figures {
            var paths: Set<String> = []
            var visits = 0
            var checks = 0
            var findings = 0
        }

        /// What the rules that depend on a page's size say; the others depend on its document alone.
        private static let layoutRules =
            #"["color-contrast", "link-in-text-block", "target-size", "scrollable-region-focusable"]"#
        private static let largeText = 2
        /// Chromium's sizes of text in pixels, which readers set.
        private static let (standardSize, fixedSize) = (16, 13)

        /// What every page has to keep besides axe-core's rules.
        private static let findings = """
            const found = [];
            const { scrollWidth } = document.scrollingElement;
            if (scrollWidth > innerWidth) found.push(`scrolls sideways: ${scrollWidth} of ${innerWidth}`);
            const headings = document.querySelectorAll("h1").length;
            if (headings !== 1) found.push(`has ${headings} headings h1`);
            if (!document.title.includes("Campanile")) found.push(`is called “${document.title}”`);
            if (document.documentElement.lang !== "en") found.push("names no language");
            if (["missing", undefined].includes(document.querySelector("main").dataset.view)) found.push("is no page");
            return found;
            """

        @Test(
            "axe-core finds nothing on any page, light and dark, on a phone, with the text at 200 % and at a desktop; none scrolls sideways, and on a phone every control is 44 pixels each way"
        )
        func everywhere() async throws {
            let server = try await WebRoot.start()
            let (anna, ben, conversation) = try await SharingTests.buddies(on: server)
            let extent = try Extent.chosen()
            let figures = Mutex(Figures())
            let start = ContinuousClock.now
            let world = try await World(server, anna, ben, conversation)
            let person = Self.person(world)
            async let one: Void = Self.visit(person, anna.page, extent, figures)
            let (guest, admin) = (Self.guest(world), Self.admin(world))
            let desktop = try await Page.desktop(on: server)
            try await Self.visit(guest, desktop, extent, figures)
            try await desktop.remember(world.admin)
            try await Self.visit(admin, desktop, extent, figures)
            try await one
            let routes = try JSONDecoder().decode(
                [String].self,
                from: Data(contentsOf: TestServer.root.appendingPathComponent("Sources/WebApp/routes.json")))
            let seen = figures.withLock { $0 }
            #expect(
                routes.filter { route in !seen.paths.contains { Self.route(of: $0, among: routes) == route } } == [])
            print(
                "axe-core, \(extent): \(routes.count) routes, \(seen.visits) visits, \(seen.checks) checks,",
                "\(seen.findings) findings, \(ContinuousClock.now - start)")
            await world.close()
            for person in [anna, ben] { try await person.leave() }
            await server.stop()
        }

        /// The route that the router chooses: fixed segments before parameters.
        private static func route(of path: String, among routes: [String]) -> String? {
            if routes.contains(path) { return path }
            let parts = path.split(separator: "/", omittingEmptySubsequences: false)
            return routes.first { route in
                let pattern = route.split(separator: "/", omittingEmptySubsequences: false)
                return pattern.count == parts.count && zip(pattern, parts).allSatisfy { $0.hasPrefix(":") || $0 == $1 }
            }
        }

        // MARK: What there is

        /// What the pages show, and its numbers.
        private struct World {
            let runner: TestRun
            let own: TestRun
            let recorded: Int64
            let event, ownEvent: Int64
            let notice, place: Int64
            let conversation: Int64
            let admin: SignedIn
            let adminConnection: CampanileConnection
            let reported: Int64
            let sessionLink, shareLink, welcome: String
            let group: String
            /// Of Anna's: a workout, a training of it that goes on, and one that has ended.
            let workout, training, ended: String

            init(_ server: TestServer, _ anna: Person, _ ben: Person, _ conversation: Int64) async throws {
                self.conversation = conversation
                reported = ben.account
                runner = try await TestRun(on: server)
                try await runner.run(20)
                sessionLink = try await runner.connection.call(TrackingLink.self, .init(session: runner.id)).link.path
                let me = try await anna.connection.call(AccountMe.self).account
                own = try await TestRun(anna.connection, account: me, title: "Evening run")
                try await own.run(120)
                try await own.stop()
                recorded = await own.id
                (event, ownEvent) = (
                    try await Self.event("Lake", by: ben), try await Self.event("Hill sprints", by: anna)
                )
                let message = ChatSend.Params(
                    conversation: conversation, id: UUID().uuidString.lowercased(), text: "Shall we run?")
                try await ben.connection.call(ChatSend.self, message)
                shareLink = try await Self.share(anna, ben)
                group = try await Self.group(ben, anna)
                workout = try await TogetherTests.workout(of: anna)
                (training, ended) = (
                    try await Self.train(workout, by: anna, ends: false),
                    try await Self.train(workout, by: anna, ends: true)
                )
                try await anna.connection.call(
                    SafetyReport.self,
                    .init(
                        id: UUID().uuidString, account: ben.account, reason: .other, note: "A test",
                        conversation: conversation))
                (adminConnection, admin) = try await server.register("theadmin")
                let database = try await server.database()
                defer { database.close() }
                _ = try await database.query(
                    "UPDATE accounts SET role = 'admin' WHERE id = $1", [.int(admin.account.id)])
                place = try #require(
                    try await adminConnection.call(PlacesList.self, .init(text: "Weaver Library")).places.first?.id)
                let sender = try await server.connect(token: admin.token)
                notice = try await sender.call(
                    NoticesPublish.self,
                    .init(id: UUID().uuidString, audience: .campus, title: "Track closed", level: .info)
                ).notice.number
                welcome = try await sender.call(
                    AdminAddUser.self, .init(username: "lenaruns", email: "lena@example.org", role: .lecturer)
                ).path
                await sender.close()
            }

            private static func event(_ title: String, by person: Person) async throws -> Int64 {
                try await person.connection.call(
                    EventsCreate.self,
                    .init(
                        id: UUID().uuidString, audience: .public,
                        details: WebEvents.EventTests.details(title, inHours: 5), publish: true)
                ).id
            }

            /// A live group of Ben's in which Anna takes part, and a workout and figures of hers; returns the group's UUID.
            private static func group(_ ben: Person, _ anna: Person) async throws -> String {
                let id = UUID().uuidString.lowercased()
                let members = try await anna.connection.call(PeopleKnown.self).people
                let username = try #require(members.first { $0.account == anna.account }?.username)
                try await TogetherTests.workout(of: anna)
                let workout = try await TogetherTests.workout(of: ben)
                try await ben.connection.call(
                    TogetherCreate.self, .init(id: id, workout: workout, invite: [username], sharesZone: false))
                try await anna.connection.call(TogetherJoin.self, .init(group: id, sharesZone: false))
                try await anna.connection.call(BodySaveWeight.self, .init(date: "2026-01-02", kilograms: 64))
                return id
            }

            private static func train(_ workout: String, by person: Person, ends: Bool) async throws -> String {
                let id = UUID().uuidString.lowercased()
                let now = Timestamp.now
                let device = UUID().uuidString.lowercased()
                try await person.connection.call(
                    TrainingStart.self,
                    .init(id: id, workout: workout, startedAt: now.advanced(bySeconds: -600), device: device))
                if ends { try await person.connection.call(TrainingFinish.self, .init(training: id, endedAt: now)) }
                return id
            }

            /// Shares of Anna's with Ben and by a link; returns the link's path.
            private static func share(_ anna: Person, _ ben: Person) async throws -> String {
                try await anna.connection.call(
                    SharingStart.self,
                    .init(
                        clientId: UUID().uuidString, audience: .person, account: ben.account, precision: .exact,
                        expiresIn: 3_600))
                let link = try await anna.connection.call(
                    SharingStart.self,
                    .init(clientId: UUID().uuidString, audience: .link, precision: .zone, expiresIn: 3_600))
                return try #require(link.path)
            }

            func close() async {
                await runner.connection.close()
                await adminConnection.close()
            }
        }

        private static func person(_ world: World) -> [Stop] {
            [
                Stop("/", "Hill sprints"), Stop("/map"), Stop("/map/places"),
                Stop("/search?q=library", "Weaver Library"),
                Stop("/nearby"), Stop("/place/place/\(world.place)", "Weaver Library"), Stop("/track"),
                Stop("/history", "Evening run"),
                Stop("/history/\(world.recorded)", "Evening run"), Stop("/events", "Lake"),
                Stop("/events/\(world.event)", "Lake"), Stop("/events/\(world.ownEvent)/edit"), Stop("/events/new"),
                Stop("/buddies"), Stop("/buddies/profile"), Stop("/chats", "Ben"),
                Stop("/chats/\(world.conversation)", "Shall we run?"), Stop("/chats/settings"), Stop("/account"),
                Stop("/sharing", "Ben Castro"), Stop("/notices", "Track closed"), Stop("/confirm"), Stop("/settings"),
                Stop("/settings/profile"), Stop("/settings/account"), Stop("/settings/security"),
                Stop("/settings/location"), Stop("/settings/appearance"), Stop("/settings/data"),
                Stop("/settings/privacy"), Stop("/settings/notifications"), Stop("/about"), Stop("/licences"),
                Stop("/help"), Stop("/body", "Only you can see this"), Stop("/insights", "Time trained"),
                Stop("/together", "Leg day"), Stop("/together/new", "Leg day"), Stop("/together/share", "Leg day"),
                Stop("/together/\(world.group)", "Ben Castro"),
                Stop("/workouts", "Leg day"), Stop("/workouts/new"), Stop("/workouts/recommended", "Train safely"),
                Stop("/workouts/\(world.workout)", "Leg day"), Stop("/workouts/\(world.workout)/edit", "Main part"),
                Stop("/exercises", "exercises"), Stop("/exercises/campanile/push-up", "How to do it"),
                Stop("/training/\(world.training)", "Leg day"), Stop("/training/\(world.ended)/summary", "Calories"),
                Stop("/trainings", "Leg day"),
            ]
        }

        private static func admin(_ world: World) -> [Stop] {
            [
                Stop("/admin"), Stop("/admin/users", "benruns"), Stop("/admin/users/\(world.reported)", "benruns"),
                Stop("/admin/users/new"), Stop("/admin/places"), Stop("/admin/closures"), Stop("/admin/audit"),
                Stop("/reports", "A test"),
                Stop("/notices/new"), Stop("/notices/sent", "Track closed"),
                Stop("/notices/sent/\(world.notice)", "Track closed"), Stop("/notices/sent/\(world.notice)/edit"),
            ]
        }

        private static func guest(_ world: World) -> [Stop] {
            [
                Stop("/"), Stop("/map"), Stop("/route"), Stop("/walk"), Stop("/search"),
                Stop("/search?q=library", "Weaver Library"), Stop("/nearby"),
                Stop("/place/place/\(world.place)", "Weaver Library"), Stop("/place/place/999999"),
                Stop("/track"), Stop("/events"), Stop("/chats"), Stop("/history"),
                Stop("/login"),
                Stop("/login/provider"), Stop("/register"), Stop("/reset"), Stop("/reset/wrong"),
                Stop("/confirm/wrong"),
                Stop(world.welcome), Stop("/welcome/wrong"), Stop("/account/deleted"), Stop(world.sessionLink),
                Stop("/s/1.wrong"), Stop(world.shareLink), Stop("/l/1.wrong"), Stop("/settings"),
            ]
        }

        // MARK: The visit

        private static func visit(
            _ stops: [Stop], _ page: Page, _ extent: Extent, _ figures: borrowing Mutex<Figures>
        ) async throws {
            let browser = page.browser
            try await page.open("/help")
            for stop in stops {
                try await go(to: stop, in: browser)
                try await check(stop.path, browser, extent, figures)
                figures.withLock { _ = $0.paths.insert(stop.path) }
            }
            try await browser.go(page.origin + "/nowhere")
            try await check("/nowhere", browser, extent, figures, isApp: false)
        }

        /// As a link of the app does, without another document.
        private static func go(to stop: Stop, in browser: Browser) async throws {
            try await browser.script(
                """
                document.querySelector('main h1')?.setAttribute('data-before', '');
                history.pushState(null, '', '\(stop.path)');
                dispatchEvent(new PopStateEvent('popstate'));
                return true;
                """)
            try await browser.wait(
                "\(stop.path) is drawn",
                """
                document.querySelector('main h1:not([data-before])')
                  && !document.querySelector('main[aria-busy], main [aria-busy=true], main .loading:not([hidden])')
                  && !/(Loading|Waiting for connection)…/.test(document.querySelector('main').innerText)
                  && document.querySelector('main').innerText.includes(\(Browser.quoted(stop.text)))
                """)
        }

        /// - Parameter isApp: False for the server's own page for a wrong address.
        private static func check(
            _ path: String, _ browser: Browser, _ extent: Extent, _ figures: borrowing Mutex<Figures>,
            isApp: Bool = true
        ) async throws {
            for display in extent.displays {
                try await browser.setScreen(display.screen)
                try await setText(display.scale, browser)
                try await browser.setDark(display.isDark)
                var found = try await browser.axeFindings(of: display.rules)
                if isApp, !display.isDark {
                    found += try await browser.script(findings, as: [String].self)
                    if display.screen == .phone, display.scale == 1 {
                        found += try await browser.script(TargetSizeTests.findings, as: [String].self)
                    }
                }
                #expect(found == [], "\(path) \(display.name) \(display.isDark ? "dark" : "light")")
                figures.withLock {
                    $0.checks += 1
                    $0.findings += found.count
                }
            }
            figures.withLock { $0.visits += 1 }
            try await browser.setDark(false)
        }

        private static func setText(_ scale: Int, _ browser: Browser) async throws {
            try await browser.cdp(
                "Page.setFontSizes", ["fontSizes": ["standard": standardSize * scale, "fixed": fixedSize * scale]])
        }
    }
}
