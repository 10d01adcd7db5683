import Wire

/// `registry.js` and `registryvalues.js` in `Sources/WebApp/client`: what the web app shares with the server, generated from the registry.
///
/// Bundlers leave out what is not used of them: the annotation says that freezing has no other effect.
public enum RegistryModule {
    /// Text of `registry.js`, which exports the values of enumerations as well.
    public static var text: String {
        module([header, values, codes, closes, restart, endings, ranges, limits, topics, methods, types])
    }

    /// Text of `registryvalues.js`.
    public static var valuesText: String { module([origin] + enumerations) }

    private static func module(_ parts: [String]) -> String {
        parts.joined(separator: "\n").replacing("Object.freeze(", with: "/* @__PURE__ */ Object.freeze(")
    }

    private static let origin = """
        // Generated from Sources/Wire by GeneratedFileTests; do not edit. CONTRIBUTING has the command.

        """

    private static let values = """
        export * from "./registryvalues.js";

        """

    private static let header = """
        \(origin)
        /** Version of the protocol that this client speaks, as `hello` states it. */
        export const protocolVersion = \(ProtocolVersion.current);

        """

    private static var codes: String {
        let lines = ErrorCode.allCases.map { "  \($0.name): \($0.rawValue)," }
        let retryable = ErrorCode.allCases.filter(\.isRetryable).map { "errorCodes.\($0.name)" }
        return """
            /** Error codes by name. */
            export const errorCodes = Object.freeze({
            \(lines.joined(separator: "\n"))
            });

            /** Codes with which the same request may succeed when it is sent again after the wait that the error names. */
            export const retryableCodes = Object.freeze([
            \(retryable.map { "  \($0)," }.joined(separator: "\n"))
            ]);

            """
    }

    private static var closes: String {
        let lines = APIRegistry.closeCodes.map {
            "  \($0.name): Object.freeze({ code: \($0.code), reconnect: \"\($0.reconnection.rawValue)\" }),"
        }
        return """
            /** Close codes by name. `reconnect`: never, optional, immediately, withBackoff, afterDelay (in the reason) or afterSignIn. */
            export const closeCodes = Object.freeze({
            \(lines.joined(separator: "\n"))
            });

            """
    }

    private static var restart: String {
        """
        /** Reason of a close with `serviceRestart`: the marker before the delay, and the longest delay that a client accepts. */
        export const restartNotice = Object.freeze({
          delayKey: "\(RestartNotice.delayKey)",
          waitMillisecondsMax: \(RestartNotice.waitMillisecondsMax),
        });

        /** Longest `retryAfter` of an error that a client accepts. */
        export const retryAfterSecondsMax = \(Int(RPCError.retryAfterSecondsMax));

        """
    }

    private static var endings: String {
        let lines = TopicCloseReason.allCases.map { "  \($0): \"\($0.rawValue)\"," }
        return """
            /** Reasons for which the server ends a subscription, by name: the member `reason` of a `closed` publication. */
            export const topicCloseReasons = Object.freeze({
            \(lines.joined(separator: "\n"))
            });

            """
    }

    private static var enumerations: [String] {
        Enumerations.all.map { name, values in
            let list = wrapped(values.map { "\"\($0)\"" })
            return "/** Values of `\(name)`. */\nexport const \(constant(name)) = Object.freeze([\(list)]);\n"
        }
    }

    private static var ranges: String {
        let lines = NamedRange.all.map { "  \($0.name): Object.freeze({ min: \($0.low), max: \($0.high) })," }
        return """
            /** Ranges of numbers. */
            export const ranges = Object.freeze({
            \(lines.joined(separator: "\n"))
            });

            """
    }

    private static var limits: String {
        let lines = TextLimit.allCases.map {
            "  \($0.rawValue): Object.freeze({ min: \($0.allowed.lowerBound), max: \($0.allowed.upperBound) }),"
        }
        return """
            /** Lengths of texts that people enter, in characters. */
            export const textLengths = Object.freeze({
            \(lines.joined(separator: "\n"))
            });

            """
    }

    private static var topics: String {
        let lines = APIRegistry.topics.map {
            "  \($0.kind.rawValue): Object.freeze({ pattern: \"\($0.pattern)\", delivery: \"\($0.delivery.rawValue)\" }),"
        }
        return """
            /** Kinds of topics. */
            export const topics = Object.freeze({
            \(lines.joined(separator: "\n"))
            });

            """
    }

    private static var methods: String {
        let areas = Set(APIRegistry.methods.compactMap { $0.name.split(separator: ".").first }).sorted()
        return """
            /** Names of all methods. */
            export const methodNames = Object.freeze([\(wrapped(APIRegistry.methods.map { "\"\($0.name)\"" }))]);

            /** What the names of methods begin with, before the dot. */
            export const methodAreas = Object.freeze([\(wrapped(areas.map { "\"\($0)\"" }))]);

            """
    }

    private static let types = """
        /** @typedef {import("./registrytypes.js").Methods} Methods Parameters and results by the method's name. */
        /** @typedef {import("./registrytypes.js").Pushes} Pushes Publications by the kind of their topic. */
        /** @typedef {import("./registrytypes.js").Replies} Replies Replies to `subscribe` by the kind of the topic. */

        """

    /// Elements on lines of at most 120 columns.
    private static func wrapped(_ elements: [String]) -> String {
        var lines: [String] = []
        var line = ""
        for element in elements {
            if !line.isEmpty, line.count + element.count > 76 {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + element + ","
        }
        if lines.isEmpty { return String(line.dropLast()) }
        return "\n  " + (lines + [line]).joined(separator: "\n  ") + "\n"
    }

    /// Name of a constant: `RunnerState` is `runnerStates`.
    private static func constant(_ type: String) -> String {
        let name = type.prefix(1).lowercased() + type.dropFirst()
        if name.hasSuffix("y"), !name.hasSuffix("ay"), !name.hasSuffix("ey") { return name.dropLast() + "ies" }
        return name.hasSuffix("s") ? name + "es" : name + "s"
    }
}
