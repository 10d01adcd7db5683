import Foundation

@testable import CampanileClient
@testable import Campus
@testable import EventLoop
@testable import Hub
@testable import HubCore
@testable import WebSocket
@testable import Wire

extension FuzzTarget {
    static let names = [
        FuzzTarget("topic", inputBytesMax: 64, run: NameRules.topic),
        FuzzTarget("timestamp", inputBytesMax: 64, run: NameRules.timestamp),
        FuzzTarget("server-address", inputBytesMax: 256, run: NameRules.serverAddress),
        FuzzTarget("addresses", inputBytesMax: 128, run: NameRules.addresses),
        FuzzTarget("restart-notice", inputBytesMax: 128, run: NameRules.restartNotice),
    ]
}

/// Names and times as text.
private enum NameRules {
    static func topic(_ input: [UInt8]) throws {
        let text = String(decoding: input, as: UTF8.self)
        guard let topic = Topic(text) else { return }
        try demandEqual(topic.description, text, "a topic has one spelling")
    }

    /// RFC 3339 on the wire and in GPX files.
    static func timestamp(_ input: [UInt8]) throws {
        let text = String(decoding: input, as: UTF8.self)
        let time = Timestamp(text)
        let recorded = ISOTime.milliseconds(text)
        if let time {
            try demand(Timestamp.millisecondsRange.contains(time.milliseconds), "times keep to their range")
            try demandEqual(Timestamp(time.description), time, "a time written again is the same")
            try demandEqual(
                ISOTime.milliseconds(time.description), time.milliseconds, "both readers read what we write")
        }
        if let recorded {
            // The years 1 to 9999, and a day for the offset.
            try demand((-62_135_683_200_000...253_402_387_200_000).contains(recorded), "times keep to their range")
        }
        // One cuts off what the other rounds.
        if let time, let recorded {
            try demand(abs(time.milliseconds - recorded) <= 1, "both readers read the same time: \(time) \(recorded)")
        }
        var reader = InputReader(input)
        let milliseconds = Int64(bitPattern: reader.number(8)) & 0xFFFF_FFFF_FFFF
        if Timestamp.millisecondsRange.contains(milliseconds) {
            let written = Timestamp(milliseconds: milliseconds)
            try demandEqual(Timestamp(written.description), written, "every time survives the wire")
            try demandEqual(ISOTime.milliseconds(written.description), milliseconds, "every time can be read back")
        }
    }

    /// X-Forwarded-For, and networks as they are set.
    static func addresses(_ input: [UInt8]) throws {
        let text = fieldText(input)
        guard text.utf8.allSatisfy(\.isFieldValueCharacter) else { return }
        if let address = IPAddress(text) {
            try demandEqual(IPAddress(address.description), address, "an address written again is the same")
        }
        if let network = NetworkPrefix(text), let address = text.split(separator: "/").first.flatMap({ IPAddress($0) })
        {
            try demand(network.contains(address), "a network holds its own address")
        }
        let trusted = ["10.0.0.0/8", "2001:db8::/32"].compactMap { NetworkPrefix($0) }
        func client(_ peer: String, _ field: String) -> String {
            ForwardedAddress.client(peer: peer, forwardedFor: field, trusted: trusted)
        }
        try demandEqual(client("192.0.2.1", text), "192.0.2.1", "who is no proxy is taken for nobody else")
        let found = client("10.0.0.1", text)
        try demandEqual(IPAddress(found)?.description, found, "a client is an address: \(found)")
        try demandEqual(
            client("10.0.0.1", "\(text), 192.0.2.7"), "192.0.2.7",
            "only what a proxy added counts, whatever is before it")
        // Unless it ends in what is no address: then the proxy before that is the last that is known.
        guard found != "10.0.0.1" else { return }
        try demandEqual(
            client("10.0.0.1", "\(text),[2001:db8::1]:80 , 10.1.2.3:4"), client("10.0.0.1", text),
            "proxies behind each other are passed over")
    }

    /// A close frame's reason.
    static func restartNotice(_ input: [UInt8]) throws {
        guard let wait = RestartNotice.milliseconds(in: String(decoding: input, as: UTF8.self)) else { return }
        try demand((0...RestartNotice.waitMillisecondsMax).contains(wait), "waits keep to their limit: \(wait)")
        try demandEqual(
            RestartNotice.milliseconds(in: RestartNotice.reason(milliseconds: wait)), wait,
            "a wait written again is the same")
    }

    static func serverAddress(_ input: [UInt8]) throws {
        do {
            let address = try ServerAddress(url: String(decoding: input, as: UTF8.self))
            try demand(address.port > 0 && !address.host.isEmpty, "an address has a host and a port")
            try demand(address.path.hasSuffix("/ws"), "an address ends in /ws")
            let handshake = ClientHandshake(host: address.hostField, path: address.path)
            var parser = HTTPRequestParser()
            handshake.request.withUnsafeBytes { parser.append($0) }
            if let request = try? parser.next() {
                try demandEqual(request.headers.all("Host").count, 1, "a host is one field")
                try demand(parser.takeRemainder().isEmpty, "a handshake is one request")
            }
        } catch let error as ServerAddress.Invalid {
            try demandPlain(error.description)
        }
    }
}
