import EventLoop
import Foundation
import Synchronization
import TestSupport
import Testing

/// A real Chromium, driven through chromedriver (W3C WebDriver over HTTP).
///
/// Screenshots go to the directory that `CAMPANILE_SCREENSHOTS` names, when it is set.
final class Browser: Sendable {
    static let driverPath = "/usr/bin/chromedriver"
    /// Times that an element is looked up which the page draws anew just then.
    private static let lookupsMax = 10
    /// Looks at an expression by one command. A tab in the background looks once a second.
    private static let looksMax = 20
    private static let millisecondsBetweenLooks = 20
    /// Errors of a script whose page was replaced while it ran.
    static let ofReplacedPages = [
        "aborted by navigation", "document unloaded", "execution context", "frame detached",
    ]
    private static let elementKey = "element-6066-11e4-a52e-4f735466cecf"

    /// On a build machine a missing browser is a failure, elsewhere a reason to skip.
    static let missing: Comment = "no chromium: apt-get install chromium chromium-driver chromium-headless-shell"
    static let isAvailable =
        [driverPath, Program.shell.path, Program.complete.path].allSatisfy(FileManager.default.isExecutableFile)
        || ProcessInfo.processInfo.environment["CI"] != nil

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let port: UInt16
    private let session: String
    /// The last command of each kind of emulation, in the tab one is in.
    let emulated = Mutex<[String: String]>([:])

    private init(port: UInt16, session: String) {
        self.port = port
        self.session = session
    }

    // MARK: Starting

    private static let driverProgram = Mutex<RunningProgram?>(nil)
    /// What chromedriver prints. Open for as long as it runs, because a program can end when it writes to a pipe that nobody reads.
    private static let driverOutput = Pipe()
    private static let driver = Task { try startDriver() }

    /// The one chromedriver of the process.
    private static func startDriver() throws -> UInt16 {
        let output = driverOutput
        let program = try RunningProgram(
            [driverPath, "--port=0"], inheritsEnvironment: true, output: output.fileHandleForWriting.fileDescriptor)
        try output.fileHandleForWriting.close()
        driverProgram.withLock { $0 = program }
        var text = ""
        while true {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw Failure(description: "chromedriver ended: \(text)") }
            text += String(decoding: data, as: UTF8.self)
            let line = text.firstMatch(of: /started successfully on port (\d+)/)
            if let port = line.flatMap({ UInt16($0.1) }) { return port }
        }
    }

    /// A desktop has a mouse; without this, headless Chromium tells pages that there is none.
    private static let mouse =
        "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4"

    /// Chromium's processes share memory in files of /dev/shm, of which containers have little; on a disk they are slow.
    private static let sharesMemory: Bool = {
        var status = statvfs()
        return statvfs("/dev/shm", &status) == 0 && UInt64(status.f_bavail) * UInt64(status.f_frsize) >= 1 << 30
    }()

    /// Which of Debian's builds of Chromium draws the pages.
    enum Program {
        /// Chromium's engine without windows, menus and notifications: the same pages for two thirds of the processor's time.
        case shell
        /// What people have.
        case complete

        fileprivate var path: String {
            self == .shell ? "/usr/lib/chromium/chromium-headless-shell" : "/usr/bin/chromium"
        }

        /// What chromedriver calls it.
        fileprivate var name: String { self == .shell ? "chrome-headless-shell" : "chrome" }
    }

    /// Opens a browser.
    static func open(_ program: Program = .shell) async throws -> Browser {
        let port = try await driver.value
        let profile = try TestDirectory.make("browser")
        let capabilities: [String: Any] = [
            "capabilities": [
                "alwaysMatch": [
                    "browserName": program.name,
                    "goog:loggingPrefs": ["browser": "ALL"],
                    // Servers with TLS have self-signed certificates here.
                    "acceptInsecureCerts": true,
                    "goog:chromeOptions": [
                        "binary": program.path,
                        "args": [
                            "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,900",
                            "--user-data-dir=\(profile)", "--no-first-run", "--disable-background-networking",
                            "--disable-component-update", mouse,
                            // No page lives long enough to gain by its optimizing compilers.
                            "--js-flags=--no-maglev,--no-turbofan",
                            // Times of day are written as this language does: with 24 hours.
                            "--accept-lang=en-GB",
                        ] + (sharesMemory ? [] : ["--disable-dev-shm-usage"]),
                    ],
                ]
            ]
        ]
        let value = try await send("POST", port, "/session", capabilities)
        guard let session = (value as? [String: Any])?["sessionId"] as? String else {
            throw Failure(description: "chromedriver opened no session")
        }
        let browser = Browser(port: port, session: session)
        // In this order: a driver that ends first leaves its browser behind.
        TestDirectory.beforeRemoval {
            await browser.close()
            driverProgram.withLock { $0 }?.signal(SIGKILL)
        }
        return browser
    }

    /// A file that was saved. Chromium makes an empty one of its name first.
    static func saved(_ name: String, in directory: String) async throws -> Data {
        try await eventually("\(name) is saved") {
            FileManager.default.contents(atPath: "\(directory)/\(name)").flatMap { $0.isEmpty ? nil : $0 }
        }
    }

    func close() async { _ = try? await command("DELETE", "") }

    private static func send(_ method: String, _ port: UInt16, _ path: String, _ body: [String: Any]?) async throws
        -> Any
    {
        let json = try body.map { try JSONSerialization.data(withJSONObject: $0) } ?? Data()
        let data = try await DriverHTTP.send(method, port: port, path: path, body: json)
        let reply = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
        let value = reply["value"] ?? NSNull()
        if let error = value as? [String: Any], let name = error["error"] as? String {
            throw Failure(description: "\(name): \(String((error["message"] as? String ?? "").prefix(400)))")
        }
        return value
    }

    @discardableResult
    private func command(_ method: String, _ path: String, _ body: [String: Any]? = nil) async throws -> Any {
        try await Self.send(method, port, "/session/\(session)" + (path.isEmpty ? "" : "/\(path)"), body)
    }

    // MARK: Pages

    func go(_ url: String) async throws { try await command("POST", "url", ["url": url]) }

    /// Goes to an address unless it is shown already: a navigation costs a fifth of a second, and mostly a process.
    func goUnlessThere(_ url: String) async throws {
        if try await command("GET", "url") as? String != url { try await go(url) }
    }

    func reload() async throws { try await command("POST", "refresh", [:]) }

    /// Opens another tab and goes on in it, without what was emulated in the first one.
    /// - Returns: Both, for ``use(tab:)``.
    func openTab() async throws -> (first: String, second: String) {
        let first = try await command("GET", "window") as? String
        let opened = try await command("POST", "window/new", ["type": "tab"]) as? [String: Any]
        guard let first, let second = opened?["handle"] as? String else { throw Failure(description: "no tab") }
        try await use(tab: second)
        return (first, second)
    }

    /// Goes on in a tab.
    func use(tab: String) async throws {
        try await command("POST", "window", ["handle": tab])
        emulated.withLock { $0 = [:] }
    }

    /// Closes the tab one is in, and goes on in another.
    func closeTab(for other: String) async throws {
        try await command("DELETE", "window")
        try await use(tab: other)
    }

    /// Runs a function body in the page and gives back what it returns, awaited.
    @discardableResult
    func script<T: Sendable>(_ body: String, as type: T.Type = Bool.self) async throws -> T {
        let value = try await command(
            "POST", "execute/sync", ["script": "return (async () => { \(body) })()", "args": []])
        guard let value = value as? T else {
            if let nothing = true as? T, value is NSNull { return nothing }
            throw Failure(description: "a script gave \(value): \(body.prefix(200))")
        }
        return value
    }

    func text(_ body: String) async throws -> String { try await script("return String(\(body))", as: String.self) }

    /// Waits until the expression is true. One that throws is not true yet: what it looks at may be still to come, or the
    /// page about to be replaced.
    func wait(_ what: String, within limit: Duration = Patience.limit, _ expression: String) async throws {
        do {
            _ = try await eventually(what, within: limit) { try await becomesTrue(expression) ? true : nil }
        } catch let error as NeverHappened {
            try? await screenshot("failed")
            let page = try? await text(
                "location.pathname + ' says: ' + document.querySelector('main')?.innerText.slice(0, 600)")
            throw Failure(description: "\(error) [\(expression)]; \(page ?? "the page does not answer")")
        }
    }

    /// Looks at the expression in the page for a while: a command for each look took a tenth of the processor's time.
    private func becomesTrue(_ expression: String) async throws -> Bool {
        do {
            return try await script(
                """
                for (let look = 0; look < \(Self.looksMax); look += 1) {
                  let isTrue = false;
                  try { isTrue = Boolean(\(expression)); } catch { /* is not there yet */ }
                  // Also when it is true: people act a moment after they see it.
                  await new Promise((done) => setTimeout(done, \(Self.millisecondsBetweenLooks)));
                  if (isTrue) return true;
                }
                return false;
                """)
        } catch let error as Failure where Self.ofReplacedPages.contains(where: error.description.contains) {
            return false
        }
    }

    // MARK: Elements

    private func element(_ css: String) async throws -> String {
        let found = try await command("POST", "element", ["using": "css selector", "value": css])
        guard let id = (found as? [String: Any])?[Self.elementKey] as? String else {
            throw Failure(description: "no element \(css)")
        }
        return id
    }

    /// Does something with an element; with the one in its place when the page has just drawn it anew, and nothing was done.
    private func with(_ css: String, _ body: (_ id: String) async throws -> Void) async throws {
        for lookup in 1...Self.lookupsMax {
            do { return try await body(try await element(css)) } catch let error as Failure {
                guard error.description.hasPrefix("stale element"), lookup < Self.lookupsMax else { throw error }
            }
        }
    }

    func click(_ css: String) async throws {
        try await wait("\(css) is there", "document.querySelector(\(Self.quoted(css)))?.checkVisibility()")
        // As people do when a bar at the page's edge covers it.
        try await script(
            """
            const element = document.querySelector(\(Self.quoted(css)));
            const { left, top, width, height } = element.getBoundingClientRect();
            const hit = document.elementFromPoint(left + width / 2, top + height / 2);
            if (hit && !element.contains(hit) && !hit.contains(element)) element.scrollIntoView({ block: "center" });
            return true;
            """)
        try await with(css) { try await command("POST", "element/\($0)/click", [:]) }
    }

    /// Replaces what an input holds.
    func type(_ text: String, into css: String) async throws {
        try await wait("\(css) is there", "document.querySelector(\(Self.quoted(css)))")
        try await with(css) { id in
            try await command("POST", "element/\(id)/clear", [:])
            if !text.isEmpty { try await command("POST", "element/\(id)/value", ["text": text]) }
        }
    }

    /// Gives a file input a file of this machine.
    func setFile(_ path: String, in css: String) async throws {
        try await with(css) { try await command("POST", "element/\($0)/value", ["text": path]) }
    }

    /// Presses a key where the focus is.
    func press(_ key: String) async throws {
        let found = try await command("GET", "element/active")
        guard let id = (found as? [String: Any])?[Self.elementKey] as? String else { return }
        try await command("POST", "element/\(id)/value", ["text": key])
    }

    static let tab = "\u{E004}"
    static let enter = "\u{E007}"

    static func quoted(_ text: String) -> String {
        "\"" + text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"") + "\""
    }

    // MARK: The browser itself

    /// A command of the Chrome DevTools Protocol.
    @discardableResult
    func cdp(_ name: String, _ parameters: [String: Any] = [:]) async throws -> Any {
        try await command("POST", "goog/cdp/execute", ["cmd": name, "params": parameters])
    }

    /// Whether ``screenshot(_:)`` saves anything.
    static var takesScreenshots: Bool {
        ProcessInfo.processInfo.environment["CAMPANILE_SCREENSHOTS"].map { !$0.isEmpty } ?? false
    }

    func screenshot(_ name: String) async throws {
        guard Self.takesScreenshots, let directory = ProcessInfo.processInfo.environment["CAMPANILE_SCREENSHOTS"],
            let text = try await command("GET", "screenshot") as? String, let data = Data(base64Encoded: text)
        else { return }
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try data.write(to: URL(fileURLWithPath: "\(directory)/\(name).png"))
    }

    /// What the console said that no page of ours should: errors, refusals by the content security policy.
    /// - Parameter isExpected: Leaves out what the test itself caused.
    func severeMessages(_ isExpected: (String) -> Bool = { _ in false }) async throws -> [String] {
        let entries = try await command("POST", "se/log", ["type": "browser"]) as? [[String: Any]] ?? []
        return entries.filter { $0["level"] as? String == "SEVERE" }.compactMap { $0["message"] as? String }
            .filter { !isExpected($0) }
    }
}
