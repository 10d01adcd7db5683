import Foundation
import Testing

extension Web {
    @Suite("Binary position frames in the browser")
    struct Positions {
        @Test("The web app reads every frame of the vectors as the server's own decoder does, and no other bytes")
        func vectors() async throws {
            let page = try await Page.fresh()
            try await page.browser.go(page.origin + "/healthz")
            let file = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../Vectors/positions.json").standardized
            let vectors = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            let result = try await page.browser.script(
                """
                const { readFrame, Picture } = await import("/app/positions.js");
                const bytes = (hex) => new Uint8Array(hex.match(/../g).map((pair) => parseInt(pair, 16))).buffer;
                const plain = (value) => JSON.stringify(value, (key, item) =>
                  item === null || (key === "full" && !item) || key === "type" ? undefined
                  : item && typeof item === "object" && !Array.isArray(item)
                    ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
                    : item);
                const timed = (key, item) => (key === "at" || key === "serverTime" ? Date.parse(item) : item);
                let count = 0;
                for (const sequence of JSON.parse(\(literal(vectors)), timed)) {
                  const picture = new Picture();
                  for (const { frame, update } of sequence) {
                    const read = picture.apply(readFrame(bytes(frame)));
                    if (plain(read) !== plain(update ?? null)) return `frame ${count}: ${plain(read)}, not ${plain(update)}`;
                    count += 1;
                    for (let cut = 2; cut < frame.length; cut += 2) {
                      try {
                        if (readFrame(bytes(frame.slice(0, cut))) !== null || cut > 4) return `read when cut to ${cut / 2}`;
                      } catch {}
                    }
                  }
                }
                return `${count} frames`;
                """, as: String.self)
            #expect(result == "51 frames")
        }

        private func literal(_ text: String) -> String {
            // A JSON string is one of JavaScript's.
            String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
        }
    }
}
