@testable import WebSocket

extension FuzzTarget {
    static let handshake = [
        FuzzTarget("handshake-server", run: HandshakeRules.server),
        FuzzTarget("handshake-client", run: HandshakeRules.client),
        FuzzTarget("handshake-pair", inputBytesMax: 256, run: HandshakeRules.pair),
        FuzzTarget("extensions", inputBytesMax: 512, run: HandshakeRules.extensions),
    ]
}

/// The opening handshake (RFC 6455 §4, RFC 7692 §7).
private enum HandshakeRules {
    private static let subprotocols = ["campanile.v1", "other"]

    private static var configurations: [DeflateConfiguration?] {
        var takeover = DeflateConfiguration()
        takeover.sendContextTakeover = true
        takeover.receiveContextTakeover = true
        var small = takeover
        small.memoryBytesMax = 10_000
        small.receiveWindowBitsMax = 10
        return [nil, DeflateConfiguration(), takeover, small]
    }

    // MARK: The server

    /// The input is what stands below the request line and Host.
    static func server(_ input: [UInt8]) throws {
        var parser = HTTPRequestParser()
        for bytes in [Array("GET /ws HTTP/1.1\r\nHost: a\r\n".utf8), input, Array("\r\n\r\n".utf8)] {
            bytes.withUnsafeBytes { parser.append($0) }
        }
        guard let request = try? parser.next() else { return }
        try respond(to: request)
    }

    static func respond(to request: HTTPRequest) throws {
        for configuration in configurations {
            switch ServerHandshake.respond(to: request, subprotocols: subprotocols, deflate: configuration) {
            case .refuse(let response):
                let read = try parsed(response.encoded(keepAlive: false))
                try demand([400, 426].contains(read.status), "a bad handshake is the client's fault")
                try demandPlain(String(decoding: read.body.dropLast(), as: UTF8.self))
            case .accept(let bytes, let subprotocol, let agreement):
                let response = try parsed(bytes)
                try demandEqual(response.status, 101, "an accepted handshake switches protocols")
                let key = request.headers["Sec-WebSocket-Key"] ?? ""
                try demandEqual(
                    response.headers.all("Sec-WebSocket-Accept"), [HandshakeKey.accept(for: key)].compactMap { $0 },
                    "the key is answered")
                try demandEqual(
                    response.headers.all("Sec-WebSocket-Protocol"), [subprotocol].compactMap { $0 },
                    "the subprotocol is named")
                if let subprotocol {
                    try demand(
                        request.headers.list("Sec-WebSocket-Protocol").contains(subprotocol),
                        "the subprotocol was offered")
                }
                try check(agreement, configuration, answers: response.headers.all("Sec-WebSocket-Extensions"))
            }
        }
    }

    private static func check(
        _ agreement: DeflateAgreement?, _ configuration: DeflateConfiguration?, answers: [String]
    ) throws {
        guard let agreement, let configuration else {
            return try demand(agreement == nil && answers.isEmpty, "nothing is agreed on unasked")
        }
        try demand(agreement.memoryBytesMax <= configuration.memoryBytesMax, "compression keeps to its memory")
        try demand(
            agreement.receiveWindowBits <= configuration.receiveWindowBitsMax, "the window is no larger than wanted")
        let elements = WebSocketExtension.parse(answers) ?? []
        try demand(
            elements.count == 1 && DeflateParameters(elements[0], isAnswer: true) != nil, "the answer can be read")
    }

    private static func parsed(_ bytes: [UInt8]) throws -> HTTPResponse {
        var parser = HTTPResponseParser()
        bytes.withUnsafeBytes { parser.append($0) }
        do {
            let response = try parser.next()
            try demand(parser.takeRemainder().isEmpty, "a response has nothing behind it")
            guard let response else { throw BrokenRule(description: "a response is whole") }
            return response
        } catch let error as HTTPParseError {
            throw BrokenRule(description: "our own response is refused: \(error)")
        }
    }

    // MARK: The client

    /// The input is the server's answer.
    static func client(_ input: [UInt8]) throws {
        var parser = HTTPResponseParser()
        input.withUnsafeBytes { parser.append($0) }
        guard let response = try? parser.next() else { return }
        let key = [UInt8](0..<16)
        for configuration in configurations {
            for offered in [[], subprotocols] {
                let handshake = ClientHandshake(
                    host: "a", path: "/", subprotocols: offered, deflate: configuration, key: key)
                do {
                    try check(try handshake.verify(response), offered, configuration)
                } catch let error as HandshakeError {
                    if case .refused(let status) = error { try demand(status != 101, "a 101 is no refusal") }
                    try demandPlain(error.description)
                }
            }
        }
    }

    private static func check(
        _ agreement: ClientHandshake.Agreement, _ offered: [String], _ configuration: DeflateConfiguration?
    ) throws {
        try demand(agreement.subprotocol.map(offered.contains) ?? true, "the subprotocol was offered")
        guard let deflate = agreement.deflate else { return }
        guard let configuration else { throw BrokenRule(description: "nothing is agreed on unasked") }
        try demand(deflate.memoryBytesMax <= configuration.memoryBytesMax, "compression keeps to its memory")
        try demand(
            deflate.receiveWindowBits <= configuration.receiveWindowBitsMax, "the window is no larger than wanted")
    }

    // MARK: Both

    /// Our client and our server agree, on the same, whatever they are set to and whoever chose host, path and fields.
    static func pair(_ input: [UInt8]) throws {
        var reader = InputReader(input)
        func configuration() -> DeflateConfiguration? {
            let flags = reader.byte()
            guard flags & 1 != 0 else { return nil }
            var configuration = DeflateConfiguration()
            configuration.sendContextTakeover = flags & 2 != 0
            configuration.receiveContextTakeover = flags & 4 != 0
            configuration.sendWindowBitsMax = flags >> 4
            configuration.receiveWindowBitsMax = reader.byte() & 15
            configuration.memoryBytesMax = Int(reader.number(3))
            return configuration
        }
        let (ours, theirs) = (configuration(), configuration())
        let path = String(decoding: reader.take(Int(reader.byte())), as: UTF8.self)
        let name = String(decoding: reader.take(Int(reader.byte())), as: UTF8.self)
        let value = String(decoding: reader.rest, as: UTF8.self)
        let client = ClientHandshake(
            host: "localhost:8080", path: path, subprotocols: subprotocols, headers: [name: value], deflate: ours,
            key: [UInt8](0..<16))
        var parser = HTTPRequestParser()
        client.request.withUnsafeBytes { parser.append($0) }
        let request: HTTPRequest?
        do {
            request = try parser.next()
        } catch {
            // A path of the caller's may hold a percent sign without digits, a field of theirs be one that the request
            // line's rules forbid.
            return try demand(error.status == 400 || error.status == 501, "our own request is refused: \(error)")
        }
        guard let request else { throw BrokenRule(description: "our own request is not complete") }
        try demand(parser.takeRemainder().isEmpty, "a request has nothing behind it")
        try demand(request.headers.count <= 8, "one field of the caller's is one field")
        let reply = ServerHandshake.respond(to: request, subprotocols: ["campanile.v1"], deflate: theirs)
        guard case .accept(let response, let subprotocol, let accepted) = reply else { return }
        try demandEqual(subprotocol, "campanile.v1", "the subprotocol is agreed on")
        let agreement: ClientHandshake.Agreement
        do {
            agreement = try client.verify(try parsed(response))
        } catch let error as HandshakeError {
            throw BrokenRule(description: "our client refuses our server: \(error)")
        }
        guard let accepted, let agreed = agreement.deflate else {
            return try demand(accepted == nil && agreement.deflate == nil, "both compress or none")
        }
        try demand(accepted.sendWindowBits <= agreed.receiveWindowBits, "the server's window fits the client's")
        try demand(agreed.sendWindowBits <= accepted.receiveWindowBits, "the client's window fits the server's")
        try demand(!accepted.sendContextTakeover || agreed.receiveContextTakeover, "the client keeps what it must")
        try demand(!agreed.sendContextTakeover || accepted.receiveContextTakeover, "the server keeps what it must")
    }

    /// The input is the value of Sec-WebSocket-Extensions, a line for each field.
    static func extensions(_ input: [UInt8]) throws {
        let fields = input.split(separator: .lineFeed).map { fieldText($0) }
        guard let elements = WebSocketExtension.parse(fields) else { return }
        let written = elements.map { element in
            element.parameters.reduce(element.name) { text, parameter in
                text + "; \(parameter.name)" + (parameter.value.map { "=\"\($0)\"" } ?? "")
            }
        }
        if !elements.isEmpty {
            try demandEqual(
                WebSocketExtension.parse([written.joined(separator: ",")]), elements, "written again it reads the same")
        }
        for case let configuration? in configurations {
            if let accepted = configuration.accept(elements) {
                try check(accepted.agreement, configuration, answers: [accepted.answer])
            }
            for element in elements {
                do {
                    let agreement = try configuration.agree(to: element)
                    try demand(
                        agreement.memoryBytesMax <= configuration.memoryBytesMax, "compression keeps to its memory")
                } catch let error as HandshakeError {
                    try demandPlain(error.description)
                }
            }
        }
    }
}
