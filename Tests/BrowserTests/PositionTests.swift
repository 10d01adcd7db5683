import Foundation
import Testing
import Wire

/// Messages at the edge of what the layout allows, and beyond it: `Tests/Vectors/strict.json`, written by hand.
struct StrictVectors: Decodable {
    struct Frame: Decodable {
        /// The message, in hexadecimal.
        var frame: String
        /// What is at the edge, or wrong.
        var what: String

        var bytes: [UInt8] {
            stride(from: 0, to: frame.count, by: 2).compactMap { UInt8(frame.dropFirst($0).prefix(2), radix: 16) }
        }
    }
    struct Kind: Decodable {
        var taken: [Frame]
        var refused: [Frame]
    }

    /// Of runners and of counts.
    var pictures: Kind
    /// Answers to points.
    var replies: Kind

    static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Vectors/strict.json").standardized
}

@Suite("Frames at the edge of what may be")
struct StrictFrameTests {
    @Test("The server's decoders take what is just allowed and refuse what is just not")
    func swift() throws {
        let vectors = try JSONDecoder().decode(StrictVectors.self, from: Data(contentsOf: StrictVectors.file))
        for one in vectors.pictures.taken {
            #expect(throws: Never.self, "\(one.what)") { try AreaFrame(decoding: one.bytes) }
        }
        for one in vectors.pictures.refused {
            #expect(throws: BinaryFrameError.self, "\(one.what)") { try AreaFrame(decoding: one.bytes) }
        }
        for one in vectors.replies.taken {
            #expect(throws: Never.self, "\(one.what)") { try TrackReply(decoding: one.bytes) }
        }
        for one in vectors.replies.refused {
            #expect(throws: BinaryFrameError.self, "\(one.what)") { try TrackReply(decoding: one.bytes) }
        }
        #expect(vectors.pictures.refused.count + vectors.replies.refused.count == 54)
    }
}

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
                const { readFrame, AreaDecoder } = await import("/app/client/positions.js");
                const bytes = (hex) => new Uint8Array(hex.match(/../g).map((pair) => parseInt(pair, 16))).buffer;
                const plain = (value) => JSON.stringify(value, (key, item) =>
                  item === null || (key === "full" && !item) || key === "type" ? undefined
                  : item && typeof item === "object" && !Array.isArray(item)
                    ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
                    : item);
                const timed = (key, item) => (key === "at" || key === "serverTime" ? Date.parse(item) : item);
                let count = 0;
                for (const sequence of JSON.parse(\(literal(vectors)), timed)) {
                  const area = new AreaDecoder();
                  for (const { frame, update } of sequence) {
                    const read = area.apply(readFrame(bytes(frame)));
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

        @Test("It reads runners, counts and runners again as the server's own decoder does, and no other bytes")
        func counts() async throws {
            let page = try await Page.fresh()
            try await page.browser.go(page.origin + "/healthz")
            let file = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../Vectors/counts.json").standardized
            let vectors = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            let result = try await page.browser.script(
                """
                const { readFrame, AreaDecoder } = await import("/app/client/positions.js");
                const bytes = (hex) => new Uint8Array(hex.match(/../g).map((pair) => parseInt(pair, 16))).buffer;
                let count = 0;
                for (const sequence of JSON.parse(\(literal(vectors)))) {
                  const area = new AreaDecoder();
                  for (const { frame, runners, counts } of sequence) {
                    const read = area.apply(readFrame(bytes(frame)));
                    const is = JSON.stringify([read?.clusters ?? null, read?.runners.map((one) => [one.session, one.lat, one.lon]) ?? null, read?.full ?? null, read?.serverTime ?? null]);
                    const told = runners ?? (counts && { ...counts, runners: [], full: true });
                    const clusters = counts?.clusters.map(({ index, count, lat, lon }) => ({ index, count, lat, lon })) ?? null;
                    const should = JSON.stringify([clusters, told?.runners.map((one) => [one.session, one.lat, one.lon]) ?? null, told ? told.full ?? false : null, told ? Date.parse(told.serverTime) : null]);
                    if (is !== should) return `frame ${count}: ${is}, not ${should}`;
                    count += 1;
                    for (let cut = 4; cut <= frame.length + 2; cut += 2) {
                      if (cut === frame.length) continue;
                      try {
                        readFrame(bytes((frame + "00").slice(0, cut)));
                        return `read when cut to ${cut / 2}`;
                      } catch {}
                    }
                  }
                }
                return `${count} frames`;
                """, as: String.self)
            #expect(result == "9 frames")
        }

        @Test(
            "The web app writes points and reads answers exactly as the vectors say, and names the point that cannot be told"
        )
        func points() async throws {
            let page = try await Page.fresh()
            try await page.browser.go(page.origin + "/healthz")
            let file = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../Vectors/points.json").standardized
            let vectors = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            let result = try await page.browser.script(
                """
                const { encodePoints, isPointsReply, readPointsReply } = await import("/app/client/trackframe.js");
                const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
                const bytes = (hex) => new Uint8Array(hex.match(/../g).map((pair) => parseInt(pair, 16))).buffer;
                const { points, replies } = JSON.parse(\(literal(vectors)));
                for (const { frame, id, params } of points) {
                  const written = hex(encodePoints(id, params.session, params.points));
                  if (written !== frame) return `${written}, not ${frame}`;
                }
                for (const { frame, id, taken, error } of replies) {
                  if (!isPointsReply(bytes(frame))) return `${frame} is not seen to be an answer`;
                  const read = readPointsReply(bytes(frame));
                  if (read.id !== id) return `id ${read.id}, not ${id}`;
                  const { stored, duplicates, refused, notCounted, session } = read.result ?? {};
                  const said = taken ? { stored, duplicates, refused, notCounted, ...session } : read.error;
                  for (const [name, value] of Object.entries(taken ?? error)) {
                    const same = (a, b) => (a && b && typeof a === "object" ? Object.keys(a).every((key) => same(a[key], b[key])) : a === b);
                    if (!same(value, said[name])) return `${name}: ${JSON.stringify(said[name])}, not ${JSON.stringify(value)}`;
                  }
                  for (let cut = 2; cut < frame.length; cut += 2) {
                    try {
                      readPointsReply(bytes(frame.slice(0, cut)));
                      return `read when cut to ${cut / 2}`;
                    } catch {}
                  }
                }
                const good = points[0].params.points[0];
                for (const wrong of [{ lat: NaN }, { lon: undefined }, { time: "yesterday" }, { speed: Infinity }, { seq: 2 ** 60 }]) {
                  try {
                    encodePoints(1, 1, [good, { ...good, ...wrong }]);
                    return `written: ${JSON.stringify(wrong)}`;
                  } catch (error) {
                    if (error.index !== 1) return `${error} is not of the second point`;
                  }
                }
                return `${points.length} and ${replies.length}`;
                """, as: String.self)
            #expect(result == "4 and 4")
        }

        @Test("The web app refuses every frame that the server's own decoders refuse, and takes what is just allowed")
        func strict() async throws {
            let page = try await Page.fresh()
            try await page.browser.go(page.origin + "/healthz")
            let vectors = String(decoding: try Data(contentsOf: StrictVectors.file), as: UTF8.self)
            let result = try await page.browser.script(
                """
                const { FrameError, readFrame } = await import("/app/client/positions.js");
                const { readPointsReply } = await import("/app/client/trackframe.js");
                const bytes = (hex) => new Uint8Array(hex.match(/../g).map((pair) => parseInt(pair, 16))).buffer;
                const { pictures, replies } = JSON.parse(\(literal(vectors)));
                const wrong = [];
                let refusals = 0;
                for (const [read, { taken, refused }] of [[readFrame, pictures], [readPointsReply, replies]]) {
                  for (const { frame, what } of taken) {
                    try {
                      if (read(bytes(frame)) === null) wrong.push(`not known: ${what}`);
                    } catch (error) {
                      wrong.push(`refused: ${what} (${error.message})`);
                    }
                  }
                  for (const { frame, what } of refused) {
                    try {
                      read(bytes(frame));
                      wrong.push(`taken: ${what}`);
                    } catch (error) {
                      if (error instanceof FrameError) refusals += 1;
                      else wrong.push(`${error}: ${what}`);
                    }
                  }
                }
                return [...wrong, `${refusals} refused`].join("; ");
                """, as: String.self)
            #expect(result == "54 refused")
        }

        private func literal(_ text: String) -> String {
            // A JSON string is one of JavaScript's.
            String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
        }
    }
}
