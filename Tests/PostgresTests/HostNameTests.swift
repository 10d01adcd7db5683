import EventLoop
import TestSupport
import Testing

@testable import Postgres

@Suite("The database's host name")
struct HostNameTests {
    private struct NotFound: Error, CustomStringConvertible {
        let host: String
        var description: String { "\(host): unknown" }
    }

    private func names(_ connectionString: String, _ environment: [String: String] = [:]) throws -> HostNames? {
        HostNames(
            keywords: try PostgresConfiguration(connectionString: connectionString).connectionKeywords,
            environment: { environment[$0] })
    }

    private func lookUp(_ host: String) throws -> [String] {
        switch host {
        case "one": ["192.0.2.1"]
        case "two": ["2001:db8::2", "192.0.2.2"]
        default: throw NotFound(host: host)
        }
    }

    @Test("The database's host name becomes a list of its addresses, each with the name and port beside it")
    func addresses() throws {
        #expect(
            try names("postgresql://u@two:5433/d")?.resolved(lookUp: lookUp)
                == ["host": "two,two", "hostaddr": "2001:db8::2,192.0.2.2", "port": "5433,5433"])
        #expect(
            try names("postgresql://u@two,one/d")?.resolved(lookUp: lookUp)
                == ["host": "two,two,one", "hostaddr": "2001:db8::2,192.0.2.2,192.0.2.1", "port": ",,"])
        #expect(
            try names("host=two,/run/pg,192.0.2.9,lost,one port=1,2,3,4,5")?.resolved(lookUp: lookUp)
                == [
                    "host": "two,two,/run/pg,192.0.2.9,one", "hostaddr": "2001:db8::2,192.0.2.2,,,192.0.2.1",
                    "port": "1,1,2,3,5",
                ])
        #expect(
            try names("dbname=d", ["PGHOST": "one", "PGPORT": "6000"])?.resolved(lookUp: lookUp)
                == ["host": "one", "hostaddr": "192.0.2.1", "port": "6000"])
    }

    @Test(
        "The database's host name is not looked up where there is none",
        arguments: [
            "host=/run/postgresql", "host=@abstract", "host=192.0.2.1", "postgresql://u@[2001:db8::1]/d", "dbname=d",
            "host=one hostaddr=192.0.2.1", "service=s host=one", "host=one,two port=1,2,3",
        ])
    func nothingToDo(connectionString: String) throws {
        #expect(try names(connectionString) == nil)
    }

    @Test("An unknown host name of the database is a plain reason")
    func unknown() throws {
        let names = try #require(try names("host=lost"))
        #expect(throws: PostgresError.unavailable(reason: "the database's host name was not found (lost: unknown)")) {
            try names.resolved(lookUp: lookUp)
        }
    }

    @Test("The database's host name is found by the system's resolver, and what it finds is a list that libpq takes")
    func system() async throws {
        let addresses = try SocketAddress.addresses(of: "localhost")
        #expect(addresses.contains("127.0.0.1") || addresses.contains("::1"))
        #expect(Set(addresses).count == addresses.count)
        // Port 1 is closed: what libpq says shows that it went to an address of the name.
        let configuration = try PostgresConfiguration(connectionString: "host=localhost port=1 user=u dbname=d")
        do {
            let connection = try await PostgresConnection.connect(
                configuration: configuration, loop: TestDatabase.shared.loop, logger: TestDatabase.logger)
            connection.close()
            Issue.record("there is a database on port 1")
        } catch let error as PostgresError {
            #expect(addresses.contains { "\(error)".contains("\"\($0)\"") }, "\(error)")
            #expect("\(error)".contains("refused"), "\(error)")
        }
    }

    @Test("The database's host name that cannot be found leaves the database unavailable")
    func unavailable() async throws {
        // Reserved never to exist (RFC 6761 §6.4); not even asked for, as a label is too long.
        let host = String(repeating: "x", count: 64) + ".invalid"
        let configuration = try PostgresConfiguration(connectionString: "host=\(host) user=u dbname=d")
        do {
            let connection = try await PostgresConnection.connect(
                configuration: configuration, loop: TestDatabase.shared.loop, logger: TestDatabase.logger)
            connection.close()
            Issue.record("connected to nowhere")
        } catch let error as PostgresError {
            #expect("\(error)".contains("host name was not found"), "\(error)")
        }
    }
}
