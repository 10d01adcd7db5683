import EventLoop
import Glibc

/// `pg_dump` and `pg_restore`, which save and restore every object of a database. All methods block.
struct BackupTools: Sendable, Equatable {
    /// The directory that contains both programs.
    let directory: String

    /// Finds the tools of the server's major version, or else the oldest newer ones: `pg_dump` reads older servers, never newer
    /// ones.
    static func find(_ search: PostgresBinaries.Search, serverVersion: Int) throws(BackupError) -> BackupTools {
        var found: [(version: Int, directory: String)] = []
        // Search Debian's versioned directories first: /usr/bin/pg_dump is a script that chooses a version by the machine's own
        // clusters.
        let distribution = (serverVersion..<serverVersion + 10).map { "\(search.distribution)/\($0)/bin" }
        for directory in search.override.map({ [$0] }) ?? distribution + search.path {
            guard let version = version(directory), version >= serverVersion else { continue }
            found.append((version, directory))
        }
        guard let best = found.min(by: { $0.version < $1.version }) else {
            throw .toolsMissing(version: serverVersion)
        }
        return BackupTools(directory: best.directory)
    }

    private static func version(_ directory: String) -> Int? {
        guard access("\(directory)/pg_restore", X_OK) == 0, access("\(directory)/pg_dump", X_OK) == 0,
            let finished = try? ChildProcess.run(["\(directory)/pg_dump", "--version"]), finished.status == 0
        else { return nil }
        // "pg_dump (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)"
        let words = finished.output.split(separator: " ")
        return words.count >= 3 ? Int(words[2].prefix { $0.isNumber }) : nil
    }

    /// Runs a tool and waits until it ends.
    /// - Parameters:
    ///   - configuration: The tool's database. The password is passed in the environment, which other users cannot read.
    ///   - interruption: Ends the tool early.
    /// - Returns: The tool's output, truncated at `ChildProcess.outputBytesMax`.
    func run(
        _ tool: String, _ arguments: [String], _ configuration: PostgresConfiguration?,
        _ interruption: ChildProcess.Interruption
    ) throws(BackupError) -> String {
        var command = ["\(directory)/\(tool)"]
        var environment: [String: String] = [:]
        if let configuration {
            command.append("--dbname=\(configuration.connectionStringWithoutPassword)")
            environment["PGPASSWORD"] = configuration.password
        }
        let finished: ChildProcess.Finished
        do {
            finished = try ChildProcess.run(
                command + arguments, environment: environment, interruption: interruption)
        } catch {
            throw .failed(tool: tool, reason: error.description)
        }
        guard finished.status == 0 else {
            let lines = finished.output.split(separator: "\n")
            let errorLine = lines.first { $0.contains("error:") } ?? lines.last ?? "it printed no message"
            throw .failed(tool: tool, reason: String(errorLine.prefix(500)))
        }
        return finished.output
    }
}

extension PostgresConfiguration {
    fileprivate var password: String? { keywords["password"] }

    /// libpq's `keyword='value'` pairs. Other users can read them in the process list.
    fileprivate var connectionStringWithoutPassword: String {
        keywords.filter { $0.key != "password" }.sorted { $0.key < $1.key }.map { keyword, value in
            let escaped = value.flatMap { (one: Character) -> [Character] in
                one == "'" || one == "\\" ? ["\\", one] : [one]
            }
            return "\(keyword)='\(String(escaped))'"
        }.joined(separator: " ")
    }
}
