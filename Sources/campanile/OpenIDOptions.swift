import ArgumentParser
import CommandSupport
import Foundation
import OpenID
import Server

/// Options for sign-in by providers of OpenID Connect, of `serve` and `doctor`.
struct OpenIDOptions: ParsableArguments {
    @Option(
        name: .customLong("openid-providers"),
        help: ArgumentHelp(
            "JSON file with the providers of OpenID Connect by which people sign in (CAMPANILE_OPENID_PROVIDERS).",
            discussion: "The article OpenID describes it. Secrets are in files that it names. Needs --public-url.",
            valueName: "file"))
    var openIDProviders: String?

    @Option(
        name: .customLong("openid-authority"),
        help: ArgumentHelp(
            "PEM file with the authorities of the providers' certificates (CAMPANILE_OPENID_AUTHORITY). Default: the system's",
            valueName: "file"))
    var openIDAuthority: String?

    /// Call it after the options of reminders, which have the public address.
    func apply(to configuration: inout ServerConfiguration) throws {
        let environment = DataOptions.environment
        configuration.openIDAuthority = openIDAuthority ?? environment["CAMPANILE_OPENID_AUTHORITY"]
        if let file = configuration.openIDAuthority, !FileManager.default.isReadableFile(atPath: file) {
            throw CommandFailure(.usage, "--openid-authority: \(file) cannot be read")
        }
        guard let file = openIDProviders ?? environment["CAMPANILE_OPENID_PROVIDERS"] else { return }
        guard configuration.reminders.publicURL != nil else {
            throw CommandFailure(
                .usage, "--openid-providers needs --public-url: providers send people back to that address")
        }
        configuration.openID = try Self.providers(file)
    }

    /// Files with secrets that the settings name.
    func secretFiles() -> [String] {
        guard let file = openIDProviders ?? DataOptions.environment["CAMPANILE_OPENID_PROVIDERS"],
            let data = FileManager.default.contents(atPath: file)
        else { return [] }
        var files: [String] = []
        _ = try? ProviderFile.providers(Array(data)) { name in
            let path = Self.path(name, beside: file)
            files.append(path)
            return try SecretInput.contents(of: path)
        }
        return files
    }

    private static func providers(_ file: String) throws -> [ProviderSettings] {
        guard let handle = FileHandle(forReadingAtPath: file),
            let data = try? handle.read(upToCount: ProviderFile.bytesMax)
        else { throw CommandFailure(.usage, "--openid-providers: \(file) cannot be read") }
        do {
            return try ProviderFile.providers(Array(data)) { try SecretInput.contents(of: path($0, beside: file)) }
        } catch let error as ProviderSettings.Invalid {
            throw CommandFailure(.usage, "--openid-providers: \(file): \(error.description)")
        }
    }

    /// A path in the settings file, relative to its directory.
    static func path(_ name: String, beside file: String) -> String {
        URL(fileURLWithPath: name, relativeTo: URL(fileURLWithPath: file).deletingLastPathComponent()).path
    }
}
