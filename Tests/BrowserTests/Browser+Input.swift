import Foundation
import TestSupport

/// Fingers, keys and files, as Chromium gets them from a device.
extension Browser {
    /// A point of the page, in CSS pixels.
    typealias Point = (x: Double, y: Double)

    /// Looks at a place on the page before it is taken, whatever lies there.
    private static let looksMax = 40
    private static let millisecondsBetweenPlaces = 50
    /// How often an element is looked for that goes and comes back, because its page is replaced or drawn anew.
    private static let lookupsMax = 5

    private static let tapsMax = 3

    /// From here on Chromium may take a finger that rests for a long press.
    private static let pressMilliseconds = 400

    /// The middle of an element, once it is in view, stands still, and nothing lies on it: a person waits for that, too.
    func middle(of css: String) async throws -> Point {
        for lookup in 1...Self.lookupsMax {
            try await wait("\(css) is there", "document.querySelector(\(Self.quoted(css)))?.checkVisibility()")
            do {
                let place = try await placeAtRest(of: css).compactMap(Double.init)
                if place.count == 2 { return (place[0], place[1]) }
            } catch let error as Failure where Self.ofReplacedPages.contains(where: error.description.contains) {
                guard lookup < Self.lookupsMax else { throw error }
            }
        }
        throw Failure(description: "\(css) does not stay")
    }

    /// The middle of an element at two looks in a row, as text; at the last look if it never rests, nothing if it is gone.
    private func placeAtRest(of css: String) async throws -> [String] {
        try await script(
            """
            let [place, last] = [[], null];
            for (let look = 0; look < \(Self.looksMax); look += 1) {
              const element = document.querySelector(\(Self.quoted(css)));
              let isHit = false;
              place = [];
              if (element) {
                element.scrollIntoView({ block: 'nearest' });
                const box = element.getBoundingClientRect();
                const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
                const top = document.elementFromPoint(x, y);
                isHit = \(Self.isHit("element", by: "top"));
                place = [x, y].map(String);
              }
              if (isHit && last === place.join()) break;
              last = isHit ? place.join() : null;
              await new Promise((done) => setTimeout(done, \(Self.millisecondsBetweenPlaces)));
            }
            return place;
            """, as: [String].self)
    }

    /// JavaScript that is true when a finger on `target` presses `element`: it lies inside, or is the label around a hidden input.
    private static func isHit(_ element: String, by target: String) -> String {
        """
        Boolean(\(element)?.contains(\(target)) || \(target)?.closest('label')?.contains(\(element)))
        """
    }

    private func touch(_ type: String, _ points: [Point]) async throws {
        try await cdp(
            "Input.dispatchTouchEvent", ["type": type, "touchPoints": points.map { ["x": $0.x, "y": $0.y] }])
    }

    /// A finger taps, and again where the page moved under it, or where a busy machine made it a long press: people do so, too.
    func tap(_ css: String) async throws {
        for _ in 1...Self.tapsMax {
            let point = try await middle(of: css)
            try await script(
                """
                const element = document.querySelector(\(Self.quoted(css)));
                const seen = window.lastTap = { element, hit: false, released: false, clicked: false, missed: false, milliseconds: 0 };
                let down = 0;
                const once = { capture: true, once: true };
                addEventListener('pointerdown', ({ target, timeStamp }) => {
                  down = timeStamp;
                  seen.hit = \(Self.isHit("element", by: "target"));
                }, once);
                addEventListener('pointerup', ({ target, timeStamp }) => {
                  seen.milliseconds = timeStamp - down;
                  seen.released = \(Self.isHit("element", by: "target"));
                }, once);
                addEventListener('click', ({ target }) => {
                  seen.clicked = \(Self.isHit("element", by: "target"));
                  seen.missed = !seen.clicked;
                }, once);
                return true;
                """)
            try await touch("touchStart", [point])
            try await touch("touchEnd", [])
            // Where the tap left the page, nothing is left to ask.
            let isDone = try? await script(
                """
                const tap = window.lastTap;
                if (!tap) return true;
                if (!tap.hit) return false;
                // What its own release took away gets no click, and another that looks the same must not be tapped.
                if (tap.released && !tap.element.isConnected) return true;
                for (let waited = 0; waited < \(Self.pressMilliseconds) && !tap.clicked && !tap.missed; waited += 20) {
                  await new Promise((resolve) => setTimeout(resolve, 20));
                }
                // A page that moved between press and release gets the click on what both have around them.
                return tap.clicked || !tap.missed && tap.milliseconds < \(Self.pressMilliseconds);
                """)
            if isDone ?? true { return }
        }
    }

    /// A finger comes down in the middle of the element and moves sideways; it stays until `lift()`.
    /// - Parameter pixels: To the right; negative to the left.
    func drag(_ css: String, by pixels: Double) async throws {
        let start = try await middle(of: css)
        try await touch("touchStart", [start])
        for step in 1...8 { try await touch("touchMove", [(start.x + pixels * Double(step) / 8, start.y + 2)]) }
    }

    /// The finger leaves the glass.
    func lift() async throws { try await touch("touchEnd", []) }

    /// A finger comes down in the middle of the element, and stays until `lift()`.
    func hold(_ css: String) async throws { try await touch("touchStart", [try await middle(of: css)]) }

    /// The mouse rests on an element.
    func hover(_ css: String) async throws {
        let point = try await middle(of: css)
        try await cdp("Input.dispatchMouseEvent", ["type": "mouseMoved", "x": point.x, "y": point.y])
    }

    /// A key of the keyboard that gives no character, or one that buttons and forms act on.
    enum Key: Int {
        case tab = 9
        case enter = 13
        case escape = 27
        case space = 32
        case left = 37
        case up = 38
        case right = 39
        case down = 40

        /// The character that it writes. Without it Enter and the space bar press nothing.
        var text: String? {
            switch self {
            case .enter: "\r"
            case .space: " "
            default: nil
            }
        }

        var name: String {
            switch self {
            case .tab: "Tab"
            case .enter: "Enter"
            case .escape: "Escape"
            case .space: " "
            case .left: "ArrowLeft"
            case .up: "ArrowUp"
            case .right: "ArrowRight"
            case .down: "ArrowDown"
            }
        }
    }

    /// Presses a key, wherever the focus is.
    func press(_ key: Key) async throws {
        for type in [key.text == nil ? "rawKeyDown" : "keyDown", "keyUp"] {
            var event: [String: Any] = [
                "type": type, "key": key.name, "code": key == .space ? "Space" : key.name,
                "windowsVirtualKeyCode": key.rawValue,
            ]
            if type == "keyDown" { event["text"] = key.text }
            try await cdp("Input.dispatchKeyEvent", event)
        }
    }

    /// Writes where the focus is, a key for each character.
    func write(_ text: String) async throws {
        for character in text {
            try await cdp("Input.dispatchKeyEvent", ["type": "keyDown", "text": String(character)])
            try await cdp("Input.dispatchKeyEvent", ["type": "keyUp"])
        }
    }

    /// Chooses a file in a file input, which need not be seen.
    func choose(file path: String, in css: String) async throws {
        try await wait("\(css) is there", "document.querySelector(\(Self.quoted(css)))")
        try await setFile(path, in: css)
    }

    /// Pages opened in `body` can lose their network: Chromium's emulation leaves WebSockets open that are open.
    func withEndableSockets(_ body: () async throws -> Void) async throws {
        let source =
            "window.WebSocket = class extends WebSocket { constructor(...given) { super(...given); window.lastSocket = this; } };"
        let added = try await cdp("Page.addScriptToEvaluateOnNewDocument", ["source": source])
        let identifier = (added as? [String: Any])?["identifier"] as? String ?? ""
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        _ = try? await cdp("Page.removeScriptToEvaluateOnNewDocument", ["identifier": identifier])
        try outcome.get()
    }

    /// Ends the page's WebSocket, and lets nothing through until `setOffline(false)`. Within `withEndableSockets`.
    func loseNetwork() async throws {
        try await setOffline(true)
        try await script("window.lastSocket.close(); return true")
        try await wait("it is noticed", "campanile.connection.state !== 'live'")
    }

    /// Saves the page light and dark, when screenshots are saved.
    func shots(_ name: String) async throws {
        guard Self.takesScreenshots else { return }
        try await screenshot("\(name)-light")
        try await setDark(true)
        try await screenshot("\(name)-dark")
        try await setDark(false)
    }
}
