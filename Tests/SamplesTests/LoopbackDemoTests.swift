import EventLoop
import Testing
import WebSocket

@testable import Server

/// When a demonstration may offer an admin with a public password.
@Suite("Loopback demo")
struct LoopbackDemoTests {
    @Test(
        "A demo is for this machine if it listens on a loopback address and no host name, proxy or other origin is set")
    func rule() throws {
        func listensToThisMachineAlone(_ change: (inout ServerConfiguration) -> Void) throws -> Bool {
            var configuration = ServerConfiguration(dataDirectory: "/nowhere", resources: try Resources.find())
            change(&configuration)
            return configuration.listensToThisMachineAlone
        }
        let proxy = try #require(NetworkPrefix("192.0.2.0/24"))
        for host in ["127.0.0.1", "localhost", "::1"] {
            #expect(try listensToThisMachineAlone { $0.host = host }, "\(host)")
        }
        for host in ["0.0.0.0", "::", "192.0.2.7", "campus.example", "localhost.campus.example"] {
            #expect(try !listensToThisMachineAlone { $0.host = host }, "\(host)")
        }
        #expect(try !listensToThisMachineAlone { $0.hostNames = ["campus.example"] })
        #expect(try !listensToThisMachineAlone { $0.trustedProxies = [proxy] })
        #expect(try !listensToThisMachineAlone { $0.allowedOrigins = ["https://campus.example"] })
        #expect(try !listensToThisMachineAlone { $0.plainHTTPNetworks += [proxy] })
    }

    @Test("Such a demo answers requests for loopback names, and for no name to which DNS rebinding leads")
    func names() throws {
        var configuration = ServerConfiguration(dataDirectory: "/nowhere", resources: try Resources.find())
        configuration.hostNames = ServerConfiguration.loopbackNames
        func allows(_ host: String) -> Bool {
            var request = HTTPRequest(method: "GET", target: "/", path: "/")
            request.headers.set("Host", host)
            return configuration.allowsHost(of: request)
        }
        for host in ["localhost:8080", "127.0.0.1:8080", "[::1]:8080", "localhost"] {
            #expect(allows(host), "\(host)")
        }
        for host in ["evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example"] {
            #expect(!allows(host), "\(host)")
        }
    }
}
