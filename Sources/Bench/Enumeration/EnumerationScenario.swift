import CampanileClient
import EventLoop
import Foundation
import Glibc
import Wire

/// Tries to find out by answers and by their times which addresses have accounts: wrong log-ins, registrations and requests for a reset,
/// with and without an owner by turns.
public struct EnumerationScenario {
    private static let password = "Campanile1"
    private static let wrongPassword = "Campanile2"
    /// A probability this many standard deviations away from one half is not by chance: once in 16,000 times.
    private static let deviationsMax = 4.0
    private static let mailStartSecondsMax = 10.0

    private let options: EnumerationOptions

    public init(_ options: EnumerationOptions) { self.options = options }

    /// Runs the scenario; takes about two seconds for each address. Do not call it on an event loop.
    /// - Throws: ``BenchError`` if the environment does not permit the run.
    public func run() async throws -> BenchReport {
        var bench = BenchOptions()
        bench.loops = 1
        let mailPort = try LossRelay.freePort()
        let mail = try Self.startMail(mailPort)
        defer { mail.terminate(timeLimit: .seconds(5)) }
        let server = try MeasuredServer(
            bench,
            arguments: [
                "--rate-limit", "off", "--mail-url", "smtp+plain://127.0.0.1:\(mailPort)", "--mail-from",
                "campus@example.org", "--public-url", "https://campus.example.org",
            ], isPinned: false)
        defer { server.stop() }
        let connection = try await CampanileConnection.connect(
            to: try ServerAddress(url: "http://127.0.0.1:\(server.port)"), loops: try ClientLoops(count: 1))
        try await connection.hello(client: .init(name: "campanile bench", version: "1"))
        for index in 0..<options.addresses {
            _ = try await connection.call(AccountRegister.self, registration(Self.owned(index), name: "owner\(index)"))
        }
        // Owners of confirmed addresses are the ones that an attacker looks for.
        try await BenchDatabase.with(server.directory + "/data") { database in
            try await database.script(
                "UPDATE accounts SET email_confirmed_at = now(), confirm_by = NULL; ANALYZE accounts")
        }
        var report = BenchReport(
            scenario: "enumeration", conditions: "\(options.addresses) addresses with an account, as many without")
        try await measure("wrong log-in", &report) { address, _ in
            await Self.answer {
                try await connection.call(AccountLogin.self, .init(email: address, password: Self.wrongPassword))
            }
        }
        try await measure("reset", &report) { address, _ in
            await Self.answer { try await connection.call(AccountRequestReset.self, .init(email: address)) }
        }
        // At last, because a registration gives a free address a provisional account.
        try await measure("registration", &report) { address, number in
            await Self.answer {
                try await connection.call(AccountRegister.self, registration(address, name: "new\(number)"))
            }
        }
        await connection.close()
        return report
    }

    private static func owned(_ index: Int) -> String { "owner\(index)@example.org" }
    private static func free(_ index: Int) -> String { "nobody\(index)@example.org" }

    private func registration(_ address: String, name: String) -> AccountRegister.Params {
        AccountRegister.Params(username: name, email: address, password: Self.password)
    }

    /// Times `ask` with addresses that have an owner and with others, in an order that changes with each pair.
    private func measure(
        _ name: String, _ report: inout BenchReport, _ ask: (_ address: String, _ number: Int) async -> String
    ) async throws {
        var times = AnswerTimes()
        var answers = (owned: Set<String>(), free: Set<String>())
        for index in 0..<options.addresses {
            for isOwned in index.isMultiple(of: 2) ? [true, false] : [false, true] {
                let began = LoadLoop.now
                let answer = await ask(
                    isOwned ? Self.owned(index) : Self.free(index), 2 * index + (isOwned ? 1 : 0))
                let milliseconds = Double(LoadLoop.now - began) / 1e6
                if isOwned {
                    times.owned.append(milliseconds)
                    answers.owned.insert(answer)
                } else {
                    times.free.append(milliseconds)
                    answers.free.insert(answer)
                }
            }
        }
        for (kind, part) in [("median", 0.5), ("p90", 0.9)] {
            report.add("\(name), with an owner: \(kind)", AnswerTimes.quantile(times.owned, part), "ms")
            report.add("\(name), without: \(kind)", AnswerTimes.quantile(times.free, part), "ms")
        }
        let probability = times.probabilityOwnedIsSlower
        report.add("\(name): one with an owner is slower, of all pairs", probability * 100, "%")
        report.remarks.append("\(name), answer: \(answers.owned.sorted().joined(separator: " | "))")
        var wrong: [String] = []
        if answers.owned != answers.free {
            wrong.append(
                "\(name) answers differently without an owner: \(answers.free.sorted().joined(separator: " | "))")
        }
        if abs(probability - 0.5) > Self.deviationsMax * times.deviation {
            wrong.append("the time of a \(name) discloses whether an account owns the address")
        }
        if !wrong.isEmpty { report.failure = ([report.failure] + wrong).compactMap { $0 }.joined(separator: "; ") }
    }

    /// What an attacker sees of an answer, without the values that differ for everybody.
    private static func answer<Result: Encodable>(_ call: () async throws -> Result) async -> String {
        do {
            let result = try await call()
            guard let signedIn = result as? SignedIn else { return "done" }
            return "signed in, \(signedIn.message ?? "no message")"
        } catch let error as RPCError {
            return "\(error.code) \(error.message)"
        } catch {
            return "\(error)"
        }
    }

    private static func startMail(_ port: UInt16) throws -> RunningProgram {
        let command = [
            "/usr/bin/python3", "-m", "aiosmtpd", "-n", "-c", "aiosmtpd.handlers.Sink", "-l", "127.0.0.1:\(port)",
        ]
        let mail = try RunningProgram(command, inheritsEnvironment: true)
        let deadline = Date.now + mailStartSecondsMax
        while Date.now < deadline, mail.isRunning {
            if let descriptor = LossRelay.connected(to: port) {
                close(descriptor)
                return mail
            }
            usleep(10_000)
        }
        mail.terminate(timeLimit: .seconds(1))
        throw BenchError(description: "the mail server cannot be started: apt-get install python3-aiosmtpd")
    }
}
