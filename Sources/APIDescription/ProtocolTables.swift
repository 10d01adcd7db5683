import Wire

/// Generated tables of the Protocol article.
public enum ProtocolTables {
    /// Tables by the name of their mark: `<!-- begin: errors -->`.
    public static var all: [(mark: String, text: String)] {
        [("ranges", ranges), ("limits", limits), ("errors", errors), ("close codes", closeCodes)]
    }

    private static func table(_ header: String, _ rows: [String]) -> String {
        let rule = String(repeating: "---|", count: header.filter { $0 == "|" }.count - 1)
        return ([header, "|" + rule] + rows).joined(separator: "\n") + "\n"
    }

    private static var ranges: String {
        table(
            "| range | numbers |",
            NamedRange.all.map { "| \($0.name) | \($0.isWhole ? "whole, " : "")\($0.low) to \($0.high) |" })
    }

    private static var limits: String {
        table(
            "| limit | counts | methods | counted by | burst | sustained rate |",
            RateLimitName.allCases.map { name in
                let methods = APIRegistry.methods.filter { method in method.limits.contains { $0.name == name } }
                let standard = name.standard
                let seconds = standard.seconds == 1 ? "a second" : "in \(standard.seconds) seconds"
                return
                    "| `\(name.rawValue)` | \(standard.use) | \(methods.map { "`\($0.name)`" }.joined(separator: ", ")) "
                    + "| \(standard.subject.rawValue) | \(standard.burst) | \(standard.uses) \(seconds) |"
            })
    }

    private static var errors: String {
        table(
            "| code | name | meaning | send again? |",
            ErrorCode.allCases.map {
                "| \($0.rawValue) | \($0.name) | \($0.meaning) | \($0.isRetryable ? "yes, later" : "no") |"
            })
    }

    private static var closeCodes: String {
        table(
            "| code | name | meaning | reconnect |",
            APIRegistry.closeCodes.map { "| \($0.code) | \($0.name) | \($0.meaning) | `\($0.reconnection.rawValue)` |" }
        )
    }
}
