import EventLoop
import Foundation
import Glibc

/// A headless Chromium with one page of a phone's size, driven by the Chrome DevTools Protocol over its debugging pipe.
///
/// Synchronous and not thread-safe: used by one thread at a time, which it may block.
final class MapBrowser {
    /// A phone's window, in CSS pixels.
    static let size = (width: 412, height: 915)
    /// Device pixels per CSS pixel.
    static let scale = 2
    /// Maximum time for the answer to a command.
    static let replySecondsMax = 60.0
    /// Maximum length of one message; far more than any expected one.
    static let messageBytesMax = 64 << 20
    private static let programs = [
        "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome",
    ]
    private static let stopSecondsMax: TimeInterval = 5

    private let process: RunningProgram
    private let directory: String
    private let input: Int32
    private let output: Int32
    private var received: [UInt8] = []
    private var lastID = 0
    private var session: String?

    /// Path of the installed Chromium; nil if there is none.
    static var program: String? { programs.first { FileManager.default.isExecutableFile(atPath: $0) } }

    /// Starts the browser and opens an empty page.
    /// - Parameter directory: A directory for its profile.
    /// - Throws: ``BenchError``.
    init(directory: String) throws {
        guard let program = Self.program else {
            throw BenchError(description: "there is no Chromium here: apt-get install chromium")
        }
        self.directory = directory
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let (into, out) = (directory + "/in", directory + "/out")
        guard mkfifo(into, 0o600) == 0, mkfifo(out, 0o600) == 0 else {
            throw BenchError(description: "no pipe can be made in \(directory)")
        }
        // For reading and writing, so that neither opening waits for the other side.
        input = open(into, O_RDWR | O_CLOEXEC)
        output = open(out, O_RDWR | O_CLOEXEC)
        guard input >= 0, output >= 0 else { throw BenchError(description: "the browser's pipes cannot be opened") }
        // The browser expects the pipe as its descriptors 3 and 4.
        let command = [
            "/bin/sh", "-c", "exec \"$0\" \"$@\" 3<\"\(into)\" 4>\"\(out)\"", program, "--headless=new", "--no-sandbox",
            "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--remote-debugging-pipe", "--user-data-dir=\(directory)/profile",
            "--window-size=\(Self.size.width),\(Self.size.height)",
        ]
        process = try RunningProgram(command, inheritsEnvironment: true)
        try openPage()
    }

    private func openPage() throws {
        let target = try command("Target.createTarget", ["url": "about:blank"])["targetId"] as? String ?? ""
        let attached = try command("Target.attachToTarget", ["targetId": target, "flatten": true])
        session = attached["sessionId"] as? String
        try command(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": Self.size.width, "height": Self.size.height, "deviceScaleFactor": Self.scale, "mobile": true,
            ])
        try command("Emulation.setTouchEmulationEnabled", ["enabled": true])
        try command("Performance.enable")
    }

    /// Ends the browser and removes its profile.
    func stop() {
        session = nil
        _ = try? command("Browser.close", [:], secondsMax: Self.stopSecondsMax)
        if process.wait(timeLimit: .seconds(Self.stopSecondsMax)) == nil { process.signal(SIGKILL) }
        process.wait()
        close(input)
        close(output)
        try? FileManager.default.removeItem(atPath: directory)
    }

    // MARK: Page

    /// Runs a script before each page that is opened from then on.
    func prepare(_ script: String) throws {
        try command("Page.enable")
        try command("Page.addScriptToEvaluateOnNewDocument", ["source": script])
    }

    func go(to url: String) throws { try command("Page.navigate", ["url": url]) }

    /// The value of an expression in the page, decoded from JSON.
    func evaluate(_ expression: String) throws -> Any {
        let reply = try command(
            "Runtime.evaluate", ["expression": expression, "returnByValue": true, "awaitPromise": true])
        guard reply["exceptionDetails"] == nil else {
            throw BenchError(description: "the page failed at \(expression.prefix(80))")
        }
        return (reply["result"] as? [String: Any])?["value"] ?? NSNull()
    }

    /// Waits until an expression is true; an exception counts as false.
    func wait(for what: String, seconds: Double, _ expression: String) throws {
        let deadline = Date.now + seconds
        while try evaluate("(() => { try { return !!(\(expression)) } catch { return false } })()") as? Bool != true {
            guard Date.now < deadline else {
                let text = try? evaluate("document.body?.innerText.slice(0, 200)")
                throw BenchError(description: "the page did not show \(what): \(text ?? "nothing")")
            }
            usleep(100_000)
        }
    }

    /// Drags a finger by a distance in CSS pixels, at a speed in pixels per second.
    func drag(from point: (x: Int, y: Int), by distance: (x: Int, y: Int), speed: Int) throws {
        try command(
            "Input.synthesizeScrollGesture",
            [
                "x": point.x, "y": point.y, "xDistance": distance.x, "yDistance": distance.y, "speed": speed,
                "gestureSourceType": "touch",
            ])
    }

    /// Bytes of the page's JavaScript heap, after a garbage collection.
    func heapBytes() throws -> Double {
        try command("HeapProfiler.collectGarbage")
        let metrics = try command("Performance.getMetrics")["metrics"] as? [[String: Any]] ?? []
        return metrics.first { $0["name"] as? String == "JSHeapUsedSize" }?["value"] as? Double ?? 0
    }

    /// CPU seconds of all the browser's processes so far, and private bytes of the page's renderer.
    func cost() throws -> (cpuSeconds: Double, rendererBytes: Int) {
        let page = session
        session = nil
        defer { session = page }
        let processes = try command("SystemInfo.getProcessInfo")["processInfo"] as? [[String: Any]] ?? []
        let renderers = processes.filter { $0["type"] as? String == "renderer" }.compactMap { $0["id"] as? Int }
        return (
            processes.reduce(0) { $0 + (($1["cpuTime"] as? Double) ?? 0) },
            renderers.map { MeasuredProcess.privateBytes(of: Int32($0)) }.max() ?? 0
        )
    }

    /// A PNG image of the page.
    func screenshot() throws -> Data? {
        (try command("Page.captureScreenshot")["data"] as? String).flatMap { Data(base64Encoded: $0) }
    }

    // MARK: Protocol

    @discardableResult
    private func command(
        _ method: String, _ parameters: [String: Any] = [:], secondsMax: Double = replySecondsMax
    ) throws -> [String: Any] {
        lastID += 1
        var request: [String: Any] = ["id": lastID, "method": method, "params": parameters]
        if let session { request["sessionId"] = session }
        try write(JSONSerialization.data(withJSONObject: request) + [0])
        let deadline = Date.now + secondsMax
        while true {
            guard let message = try JSONSerialization.jsonObject(with: read(until: deadline)) as? [String: Any] else {
                throw BenchError(description: "the browser sent an invalid message")
            }
            // Skip events, and late answers to commands that timed out.
            guard message["id"] as? Int == lastID else { continue }
            if let error = message["error"] as? [String: Any] {
                throw BenchError(description: "the browser refused \(method): \(error["message"] ?? "")")
            }
            return message["result"] as? [String: Any] ?? [:]
        }
    }

    private func write(_ data: Data) throws {
        let bytes = Array(data)
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
            guard count > 0 else { throw BenchError(description: "the browser accepts no commands") }
            offset += count
        }
    }

    /// The next message, without its terminating zero byte.
    private func read(until deadline: Date) throws -> Data {
        var searched = 0
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let end = received[searched...].firstIndex(of: 0) {
                let message = Data(received[..<end])
                received.removeFirst(end + 1)
                return message
            }
            searched = received.count
            guard received.count < Self.messageBytesMax else {
                throw BenchError(description: "the browser's message is too long")
            }
            var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            if poll(&waiting, 1, 200) > 0 {
                let count = Glibc.read(output, &chunk, chunk.count)
                guard count > 0 else { throw BenchError(description: "the browser's output cannot be read") }
                received += chunk[..<count]
            } else if Date.now > deadline || !process.isRunning {
                throw BenchError(
                    description: process.isRunning ? "the browser did not answer in time" : "the browser has ended")
            }
        }
    }
}
