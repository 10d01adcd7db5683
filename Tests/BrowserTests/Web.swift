import CampanileClient
import Foundation
import Logging
import Postgres
import Server
import Synchronization
import TestSupport
import Testing
import Wire

/// Browser tests run in six lanes, in each one after the other: more of them would starve one another on a small machine. Each
/// lane takes about as long as the others.
@Suite(
    "The web app in a real browser", .serialized, .browsers(of: .web),
    .enabled(if: Browser.isAvailable, Browser.missing))
struct Web {
    /// Runs a script in a page of the app's origin that shows nothing; it has `check(what, is, shouldBe)` and `until(what, isSo)`.
    /// - Returns: `ok`, or what was not so.
    static func logic(_ script: String) async throws -> String {
        let page = try await Page.fresh()
        return try await page.browser.script(
            """
            const check = (what, is, shouldBe) => { if (JSON.stringify(is) !== JSON.stringify(shouldBe)) throw new Error(`${what}: ${JSON.stringify(is)}, not ${JSON.stringify(shouldBe)}`); };
            const until = async (what, isSo) => { for (let turn = 0; turn < 2000; turn += 1) { if (isSo()) return; await new Promise((done) => setTimeout(done, 5)); } throw new Error(`never: ${what}`); };
            try { \(script) } catch (error) { return error.stack ?? error.message; } return 'ok';
            """, as: String.self)
    }
}

@Suite(
    "The web app in a real browser: accounts", .serialized, .browsers(of: .accounts),
    .enabled(if: Browser.isAvailable, Browser.missing))
struct WebAccounts {}

@Suite(
    "The web app in a real browser: the map", .serialized, .browsers(of: .map),
    .enabled(if: Browser.isAvailable, Browser.missing))
struct WebMap {}

@Suite(
    "The web app in a real browser: tracking and the console", .serialized, .browsers(of: .tracking),
    .enabled(if: Browser.isAvailable, Browser.missing))
struct WebTracking {}

@Suite(
    "The web app in a real browser: sharing", .serialized, .browsers(of: .sharing),
    .enabled(if: Browser.isAvailable, Browser.missing))
struct WebSharing {}

@Suite(
    "The web app in a real browser: events and notices", .serialized, .browsers(of: .events),
    .enabled(if: Browser.isAvailable, Browser.missing))
struct WebEvents {}

/// Browsers and a server that the tests of a suite share, and no others use at the same time.
struct BrowserLane: SuiteTrait, TestTrait, TestScoping {
    enum Name { case web, accounts, map, tracking, sharing, events }

    @TaskLocal static var current = Name.web

    let name: Name
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await Self.$current.withValue(name) {
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await function()) } catch { outcome = .failure(error) }
            await Page.rest()
            try outcome.get()
        }
    }
}

extension Trait where Self == BrowserLane {
    static func browsers(of lane: BrowserLane.Name) -> BrowserLane { BrowserLane(name: lane) }
}

/// The web app that browsers get: the bundle of a release, which `deploy/test` makes, and beside it the sources, of which tests import
/// single modules. Without a bundle the sources alone.
enum WebRoot {
    private static let directory = Result { () throws -> URL? in
        let bundle = TestServer.root.appendingPathComponent(".build/web")
        guard FileManager.default.fileExists(atPath: bundle.path) else { return nil }
        let merged = URL(fileURLWithPath: try TestDirectory.make("web")).appendingPathComponent("WebApp")
        try FileManager.default.copyItem(at: TestServer.root.appendingPathComponent("Sources/WebApp"), to: merged)
        for path in try FileManager.default.subpathsOfDirectory(atPath: bundle.path) {
            let (from, to) = (bundle.appendingPathComponent(path), merged.appendingPathComponent(path))
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: from.path, isDirectory: &isDirectory) else { continue }
            if isDirectory.boolValue {
                try FileManager.default.createDirectory(at: to, withIntermediateDirectories: true)
            } else {
                try? FileManager.default.removeItem(at: to)
                try FileManager.default.copyItem(at: from, to: to)
            }
        }
        return merged
    }

    /// A file of the app: in a bundle its name is in the document, which loads it.
    private static func file(_ module: String, after marker: String) throws -> String {
        guard let directory = try directory.get() else { return module }
        let document = try String(contentsOf: directory.appendingPathComponent("index.html"), encoding: .utf8)
        let found = try Regex(marker + #"[^\]]*?"(/app/bundle/chunk-[^"]+)""#).firstMatch(in: document)
        return String(try #require(found?.output[1].substring))
    }

    /// The file of the features.
    static func features() throws -> String { try file("/app/shell/features.js", after: #"<template id="later">"#) }

    /// The file of what draws a map.
    static func maps() throws -> String { try file("/app/map/mapview.js", after: #""\^/map\$""#) }

    /// Starts a server whose web app is this one.
    /// - Parameter hasTutorial: Whether the tutorial opens for new accounts. It would lie over the pages that tests look at.
    static func start(
        over access: PrivateCluster.Access? = nil, logger: Logger = TestDatabase.logger, hasTutorial: Bool = false,
        hasRoutes: Bool = false, _ change: (inout ServerConfiguration) throws -> Void = { _ in }
    ) async throws -> TestServer {
        let directory = try directory.get()
        let server = try await TestServer.start(over: access, logger: logger, hasRoutes: hasRoutes) { configuration in
            configuration.resources.chosenWebApp = directory
            try change(&configuration)
        }
        if !hasTutorial { try await markTutorialSeen(on: server) }
        return server
    }

    /// Each account has seen the tutorial from its beginning.
    private static func markTutorialSeen(on server: TestServer) async throws {
        let database = try await server.database()
        defer { database.close() }
        try await database.script(
            """
            CREATE OR REPLACE FUNCTION test_tutorial_seen() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
            BEGIN
                INSERT INTO account_settings (account_id, name, value, changed_at) VALUES (NEW.id, 'tutorial', 'seen', now());
                RETURN NULL;
            END $$;
            CREATE OR REPLACE TRIGGER test_tutorial_seen AFTER INSERT ON accounts
                FOR EACH ROW EXECUTE FUNCTION test_tutorial_seen();
            """)
    }
}

/// A page of one server, with nothing remembered from before.
struct Page: Sendable {
    let server: TestServer
    let browser: Browser

    /// What the tests of a lane share, begun by the first of them.
    private struct Shared {
        let server = Task { try await WebRoot.start() }
        let desktop = Task { try await Browser.open() }
        let phone = Task { try await Browser.open() }
    }

    private static let lanes = Mutex<[BrowserLane.Name: Shared]>([:])

    private static var shared: Shared {
        lanes.withLock { lanes in
            let lane = lanes[BrowserLane.current] ?? Shared()
            lanes[BrowserLane.current] = lane
            return lane
        }
    }

    /// Fresh: nobody is signed in, the network is there, the window is a desktop's.
    /// - Parameter server: One of the test's own; nil takes one that tests share.
    static func fresh(on server: TestServer? = nil) async throws -> Page {
        try await fresh(on: try await given(server), in: try await shared.desktop.value)
    }

    /// Leaves the pages of the lane, which would go on drawing while others are tested.
    static func rest() async {
        guard let lane = lanes.withLock({ $0[BrowserLane.current] }) else { return }
        for browser in [lane.desktop, lane.phone] { try? await browser.value.goUnlessThere("about:blank") }
    }

    private static func given(_ server: TestServer?) async throws -> TestServer {
        if let server { return server }
        return try await shared.server.value
    }

    /// Two fresh pages for two people: a phone and a desktop, each a browser with a profile of its own.
    /// - Parameter server: As for ``fresh(on:)``.
    static func pair(on server: TestServer? = nil) async throws -> (phone: Page, desktop: Page) {
        let server = try await given(server)
        let desktop = try await fresh(on: server, in: try await shared.desktop.value, screen: .desktop)
        let phone = try await fresh(on: server, in: try await shared.phone.value, screen: .phone)
        return (phone, desktop)
    }

    /// Fresh, in the browser that ``pair(on:)`` gives the desktop, while the phone's may be at work.
    static func desktop(on server: TestServer) async throws -> Page {
        try await fresh(on: server, in: try await shared.desktop.value, screen: .desktop)
    }

    private static func fresh(
        on server: TestServer, in browser: Browser, screen: Browser.Screen? = nil
    ) async throws -> Page {
        let page = Page(server: server, browser: browser)
        // First, so that no other page is laid out anew.
        try await browser.goUnlessThere("about:blank")
        try await browser.setOffline(false)
        try await browser.setScreen(screen)
        try await browser.setDark(false)
        try await browser.cdp(
            "Storage.clearDataForOrigin", ["origin": page.origin, "storageTypes": "all"])
        // What a tab keeps is not among it.
        try await browser.go(page.origin + "/healthz")
        try await browser.script("sessionStorage.clear(); return true")
        _ = try await browser.severeMessages()
        return page
    }

    /// Fresh and signed in, on the page that tracks; the device is at `place`.
    static func tracking(
        on server: TestServer?, at place: (lat: Double, lon: Double)
    ) async throws -> (page: Page, connection: CampanileConnection, account: SignedIn) {
        let page = try await fresh(on: server)
        try await page.locate(place.lat, place.lon)
        let (connection, account) = try await page.signIn()
        try await page.open("/track")
        return (page, connection, account)
    }

    /// By name: geolocation and service workers need a secure context, which localhost is.
    var origin: String { "\(server.isSecure ? "https" : "http")://localhost:\(server.port)" }

    /// The browser may find where it is, and finds this.
    func locate(_ latitude: Double, _ longitude: Double) async throws {
        try await browser.cdp("Browser.grantPermissions", ["origin": origin, "permissions": ["geolocation"]])
        try await browser.setPosition(latitude, longitude)
    }

    func open(_ path: String) async throws {
        try await browser.go(origin + path)
        try await live()
    }

    func live() async throws {
        try await browser.wait("the connection is live", "document.documentElement.dataset.connection === 'live'")
    }

    /// Signs in through the API, as a page that remembers its token.
    @discardableResult
    func signIn() async throws -> (connection: CampanileConnection, account: SignedIn) {
        let (connection, account) = try await server.register()
        try await remember(account)
        return (connection, account)
    }

    /// Has the browser remember an account, as after its login.
    func remember(_ account: SignedIn) async throws {
        try await browser.goUnlessThere(origin + "/healthz")
        try await browser.script("localStorage.setItem('campanile.token', '\(account.token)'); return true")
    }

    /// Presses Start on the page that tracks, and gives back the session's number.
    func startTracking() async throws -> Int64 {
        try await browser.click("#start")
        try await browser.wait("the session is known", "campanile.tracking?.session > 0")
        return Int64(try await browser.script("return campanile.tracking.session", as: Int.self))
    }

    /// Fails the test when the console holds an error that the test did not cause.
    func expectQuietConsole(except expected: [String] = []) async throws {
        let messages = try await browser.severeMessages { message in expected.contains { message.contains($0) } }
        #expect(messages.isEmpty)
    }

    /// What Chromium says when a server is gone.
    static let networkErrors = [
        "ERR_CONNECTION", "ERR_INTERNET_DISCONNECTED", "WebSocket", "Failed to load resource", "ERR_FAILED",
        "error occurred when fetching the script",
    ]
}
