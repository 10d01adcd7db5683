import EventLoop
import Foundation
import TestSupport
import Testing

@Suite("Settings of OpenID providers, on the command line")
struct OpenIDCommandTests {
    private static let known = #""name":"a","label":"A","issuer":"https://a.example","clientId":"1""#
    private static let workers = WorkerPool(label: "openid-doctor", concurrentMax: 2, waitingMax: 64)

    /// What `campanile doctor` prints about providers of this file.
    private static func doctor(
        _ file: String, _ more: [String] = ["--public-url", "https://campus.example"]
    ) async throws -> String {
        let program = TestServer.root.appendingPathComponent(".build/debug/campanile").path
        let data = try TestDirectory.make("doctor-openid")
        let arguments = ["doctor", "--data", data, "--port", "0", "--openid-providers", file] + more
        let environment = ["CAMPANILE_RESOURCES": TestServer.root.path, "HOME": "/nonexistent"]
        return try await workers.run {
            try ChildProcess.run([program] + arguments, environment: environment, timeLimit: .seconds(120)).output
        }
    }

    private static func write(_ text: String, _ name: String, in directory: String, mode: Int = 0o600) throws -> String
    {
        let path = "\(directory)/\(name)"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    @Test(
        "doctor loads each provider's configuration and keys, shows the redirect address, and warns of files that others may read"
    )
    func check() async throws {
        let provider = try await TestPython.start("openid")
        let directory = try TestDirectory.make("openid-settings")
        _ = try Self.write("a secret\n", "campus.secret", in: directory, mode: 0o644)
        _ = try Self.write(provider.greeting.text("appleKey"), "apple.p8", in: directory)
        let site = "http://127.0.0.1:\(provider.port)"
        let file = try Self.write(
            """
            [{"name":"campus","label":"Campus ID","issuer":"\(site)/normal","clientId":"campanile","clientSecretFile":"campus.secret"},
             {"name":"apple","label":"Apple","issuer":"\(site)/apple","clientId":"campanile","responseMode":"form_post",
              "appleTeamId":"TEAM123456","appleKeyId":"KEY1234567","appleKeyFile":"apple.p8","scopes":["email","name"]},
             {"name":"other","label":"Other","issuer":"\(site)/meta-issuer","clientId":"campanile"}]
            """, "openid.json", in: directory)
        let found = try await Self.doctor(file)
        #expect(
            found.contains(
                "ok    sign-in by Campus ID: \(site)/normal, RS256, 1 keys; redirect address https://campus.example/openid/campus/callback"
            ), "\(found)")
        #expect(found.contains("ok    sign-in by Apple: \(site)/apple, RS256, 1 keys"))
        #expect(found.contains("FAIL  sign-in by Other") && found.contains("it names another issuer"))
        #expect(found.contains("warn  sign-ins: other users may read \(directory)/campus.secret"))
        #expect(!found.contains("apple.p8"))
    }

    @Test(
        "Settings that cannot be used are refused with what to change",
        arguments: [
            ("{}", "it must be a JSON list of providers"), (#"[{"name":"a"}]"#, "each provider needs"),
            (#"[{"nam":"a"}]"#, "there is no member nam"),
            (
                #"[{"name":"A","label":"A","issuer":"https://a.example","clientId":"1"}]"#,
                "name must be 1 to 20 lower-case"
            ),
            (#"[{"name":"a","label":"A","issuer":"http://a.example","clientId":"1"}]"#, "issuer must be an https URL"),
            (
                #"[{\#(known),"clientSecretFile":"missing"}]"#,
                "missing cannot be read"
            ),
            (
                #"[{\#(known),"appleKeyFile":"openid.json"}]"#,
                "appleKeyFile needs appleTeamId and appleKeyId"
            ),
            (
                #"[{\#(known),"appleKeyFile":"openid.json","appleTeamId":"TEAM123456","appleKeyId":"KEY1234567"}]"#,
                "appleKeyFile must be the .p8 file"
            ),
        ])
    func refused(_ settings: String, _ words: String) async throws {
        let file = try Self.write(settings, "openid.json", in: try TestDirectory.make("openid-settings"))
        let found = try await Self.doctor(file)
        #expect(found.contains("FAIL  sign-ins: ") && found.contains(words), "\(found)")
    }

    @Test("Providers need the public address, to which they send people back")
    func publicURL() async throws {
        let file = try Self.write("[]", "openid.json", in: try TestDirectory.make("openid-settings"))
        #expect(try await Self.doctor(file, []).contains("--openid-providers needs --public-url"))
    }
}
