import Bus
import Testing

@Suite struct NATSConfigurationTests {
    @Test(
        "An address is read",
        arguments: [
            ("nats://localhost", "nats://localhost:4222"), ("nats://10.0.0.7:4333/", "nats://10.0.0.7:4333"),
            ("tls://nats.campus.example:4443", "tls://nats.campus.example:4443"),
            ("nats://[::1]:4222", "nats://[::1]:4222"),
            ("nats://a,nats://b:4223", "nats://a:4222,nats://b:4223"),
        ])
    func addresses(_ text: String, _ description: String) throws {
        #expect(try NATSConfiguration(text).description == description)
    }

    @Test("User, password and token are read with their escapes, and never shown")
    func userAndToken() throws {
        let user = try NATSConfiguration("nats://anna:p%40ss%2Cw%3ard@localhost")
        #expect(user.credentials == .user("anna", password: "p@ss,w:rd"))
        let token = try NATSConfiguration("nats://s3cret@a,nats://b")
        #expect(token.credentials == .token("s3cret"))
        for configuration in [user, token] {
            let shown = "\(configuration) \(String(reflecting: configuration)) \(dumped(configuration))"
            #expect(!shown.contains("p@ss") && !shown.contains("s3cret") && !shown.contains("anna"))
        }
    }

    private func dumped(_ configuration: NATSConfiguration) -> String {
        var text = ""
        dump(configuration, to: &text)
        return text
    }

    @Test(
        "What is no address is told plainly, without repeating it",
        arguments: [
            ("", "nats://"), ("localhost:4222", "nats://"), ("http://localhost", "nats://"), ("nats://", "host:port"),
            ("nats://a b", "host:port"), ("nats://host:0", "1 to 65535"), ("nats://host:65536", "1 to 65535"),
            ("nats://host:", "1 to 65535"), ("nats://host:4222/path", "1 to 65535"), ("nats://host?x=1", "host:port"),
            ("nats://[::1", "host:port"), ("nats://[zz]:1", "host:port"), ("nats://sec%ret@host", "%XX"),
            ("nats://:sec%00@host", "%XX"), ("nats://a,tls://b", "either"), ("nats://sec@a,nats://ret@b", "once"),
            ("nats://a,", "nats://"),
        ])
    func wrong(_ text: String, _ hint: String) throws {
        let error = #expect(throws: NATSConfiguration.Invalid.self) { try NATSConfiguration(text) }
        #expect(error?.description.contains(hint) == true)
        #expect(error?.description.contains("sec") == false)
    }

    @Test("More servers or bytes than the limits are refused")
    func limits() {
        let many = Array(repeating: "nats://a", count: NATSConfiguration.serversMax + 1).joined(separator: ",")
        #expect(throws: NATSConfiguration.Invalid.self) { try NATSConfiguration(many) }
        #expect(throws: NATSConfiguration.Invalid.self) {
            try NATSConfiguration("nats://" + String(repeating: "a", count: NATSConfiguration.textBytesMax))
        }
    }

    @Test(
        "A node's name is of letters, digits, dots, hyphens and underscores",
        arguments: ["", "a b", "ä", "a/b", String(repeating: "x", count: 65)])
    func names(_ name: String) throws {
        #expect(throws: BusError.self) { try BusNode(name: name) }
        #expect(try BusNode(name: "node-1.campus_example").name == "node-1.campus_example")
    }

    @Test("Files that cannot be used are named by what they are for")
    func files() throws {
        func error(_ change: (inout NATSConfiguration) -> Void, _ scheme: String = "tls") throws -> String {
            var configuration = try NATSConfiguration("\(scheme)://127.0.0.1:1")
            change(&configuration)
            let node = try BusNode(name: "a")
            let error = #expect(throws: NATSConfiguration.Invalid.self) {
                _ = try NATSBus(
                    configuration, keys: BusKeyring(.random()), campus: "test", node: node, loop: Loops.home)
            }
            return error?.description ?? ""
        }
        #expect(try error { $0.authorityFile = "/nowhere" }.contains("authorities file"))
        #expect(try error { $0.authorityFile = "/etc/hostname" }.contains("no PEM certificates"))
        #expect(try error { $0.certificateFile = "/etc/hostname" }.contains("given together"))
        #expect(try error({ $0.credentialsFile = "/nowhere" }, "nats").contains("credentials file"))
        #expect(try error({ $0.serverName = "nats" }, "nats").contains("tls://"))
    }
}
