import Testing

@testable import WebSocket

@Suite("Negotiation of permessage-deflate (RFC 7692 §5 and §7.1)")
struct DeflateNegotiationTests {
    @Test("without a configuration, or without the offer, the connection opens without the extension (RFC 6455 §9.1)")
    func absent() throws {
        #expect(try negotiate("permessage-deflate", with: nil) == (nil, nil))
        #expect(try negotiate() == (nil, nil))
        #expect(try negotiate("x-webkit-deflate-frame, permessage-bzip2; a=1") == (nil, nil))
        #expect(try negotiate("PERMESSAGE-DEFLATE") == (nil, nil))
    }

    @Test("by default no context is taken over, which the answer says for both sides (§7.1.1)")
    func noTakeover() throws {
        let (answer, agreement) = try negotiate("permessage-deflate")
        #expect(answer == "permessage-deflate; server_no_context_takeover; client_no_context_takeover")
        #expect(agreement?.sendContextTakeover == false && agreement?.receiveContextTakeover == false)
    }

    @Test("contexts are taken over where both sides want it, and not where the client does not (§7.1.1)")
    func takeover() throws {
        let wanted = DeflateConfiguration.eager(send: true, receive: true)
        #expect(try negotiate("permessage-deflate", with: wanted).answer == "permessage-deflate")
        let (first, server) = try negotiate("permessage-deflate; server_no_context_takeover", with: wanted)
        #expect(first == "permessage-deflate; server_no_context_takeover")
        #expect(server?.sendContextTakeover == false && server?.receiveContextTakeover == true)
        let (second, client) = try negotiate("permessage-deflate; client_no_context_takeover", with: wanted)
        #expect(second == "permessage-deflate; client_no_context_takeover")
        #expect(client?.sendContextTakeover == true && client?.receiveContextTakeover == false)
    }

    @Test("server_max_window_bits is answered with the same or a smaller value, for all values (§7.1.2.1)")
    func serverWindow() throws {
        for bits in UInt8(8)...15 {
            let (answer, agreement) = try negotiate("permessage-deflate; server_max_window_bits=\(bits)")
            #expect(answer?.hasSuffix("; server_max_window_bits=\(bits)") == true)
            #expect(agreement?.sendWindowBits == bits)
        }
        var configuration = DeflateConfiguration.eager()
        configuration.sendWindowBitsMax = 10
        #expect(try negotiate("permessage-deflate", with: configuration).agreement?.sendWindowBits == 10)
        let (answer, _) = try negotiate("permessage-deflate; server_max_window_bits=12", with: configuration)
        #expect(answer?.hasSuffix("; server_max_window_bits=10") == true)
    }

    @Test("client_max_window_bits is answered only where it was offered, and not above the offer (§7.1.2.2)")
    func clientWindow() throws {
        #expect(try negotiate("permessage-deflate").answer?.contains("client_max") == false)
        #expect(try negotiate("permessage-deflate; client_max_window_bits").answer?.contains("client_max") == false)
        for bits in UInt8(8)...14 {
            let (answer, agreement) = try negotiate("permessage-deflate; client_max_window_bits=\(bits)")
            #expect(answer?.hasSuffix("; client_max_window_bits=\(bits)") == true)
            #expect(agreement?.receiveWindowBits == bits)
        }
        var configuration = DeflateConfiguration.eager()
        configuration.receiveWindowBitsMax = 11
        let (answer, agreement) = try negotiate("permessage-deflate; client_max_window_bits", with: configuration)
        #expect(answer?.hasSuffix("; client_max_window_bits=11") == true && agreement?.receiveWindowBits == 11)
        let smaller = try negotiate("permessage-deflate; client_max_window_bits=9", with: configuration)
        #expect(smaller.agreement?.receiveWindowBits == 9)
        // A client that does not offer it cannot be told.
        #expect(try negotiate("permessage-deflate", with: configuration) == (nil, nil))
    }

    @Test(
        "an offer with an unknown, doubled or wrong parameter is declined (§7.1), and the next one tried (§5.1)",
        arguments: [
            "foo", "foo=1", "server_no_context_takeover; server_no_context_takeover", "server_no_context_takeover=1",
            "client_no_context_takeover; client_no_context_takeover", "client_no_context_takeover=x",
            "server_max_window_bits", "server_max_window_bits=7", "server_max_window_bits=16",
            "server_max_window_bits=010", "server_max_window_bits=0", "server_max_window_bits=+9",
            "server_max_window_bits=9.0", "server_max_window_bits=1000", "client_max_window_bits=7",
            "client_max_window_bits=16", "client_max_window_bits=08",
            "server_max_window_bits=9; server_max_window_bits=9",
            "client_max_window_bits; client_max_window_bits=9", "Server_no_context_takeover",
        ])
    func invalid(parameters: String) throws {
        #expect(try negotiate("permessage-deflate; \(parameters)") == (nil, nil))
        let (answer, agreement) = try negotiate(
            "permessage-deflate; \(parameters), other, permessage-deflate; server_max_window_bits=\"10\"")
        #expect(answer?.hasSuffix("server_max_window_bits=10") == true && agreement?.sendWindowBits == 10)
    }

    @Test("the first offer that can be met is taken, over all fields (RFC 6455 §9.1)")
    func preference() throws {
        let (answer, agreement) = try negotiate(
            "permessage-deflate; server_max_window_bits=9", "permessage-deflate; server_max_window_bits=12")
        #expect(answer?.components("permessage-deflate") == 1 && agreement?.sendWindowBits == 9)
    }

    @Test("a malformed header is answered with 400 (RFC 6455 §9.1), with and without the extension configured")
    func malformed() {
        #expect(throws: Refused.self) { try negotiate("permessage-deflate; server_max_window_bits=\"10") }
        #expect(throws: Refused.self) { try negotiate("permessage-deflate,;", with: nil) }
    }

    @Test("the windows are chosen to fit the memory limit, by zlib's formulas")
    func memory() throws {
        #expect(DeflateMemory.deflateBytes(windowBits: 15, memoryLevel: 8) == 262_144)
        #expect(DeflateMemory.inflateBytes(windowBits: 15) == 39_936)
        let any = "permessage-deflate; client_max_window_bits"
        for limit in stride(from: 4096, through: 400_000, by: 4096) {
            for (send, receive) in [(false, false), (false, true), (true, false), (true, true)] {
                let configuration = DeflateConfiguration.eager(send: send, receive: receive, memoryBytesMax: limit)
                for offer in [any, "permessage-deflate", any + "; server_max_window_bits=12"] {
                    guard let agreement = try negotiate(offer, with: configuration).agreement else { continue }
                    #expect(agreement.memoryBytesMax <= limit)
                }
                guard
                    let agreed = try handshake(client: configuration, server: .eager(send: true, receive: true)).client
                else { continue }
                #expect(agreed.memoryBytesMax <= limit)
            }
        }
        // First the window to send with shrinks, then its context goes, then the window to receive with shrinks.
        func agreed(_ limit: Int, _ offer: String = any) throws -> DeflateAgreement? {
            try negotiate(offer, with: .eager(send: true, memoryBytesMax: limit)).agreement
        }
        #expect(try agreed(302_080)?.sendWindowBits == 15)
        #expect(try agreed(65_536)?.sendWindowBits == 11)
        #expect(try agreed(65_536)?.sendContextTakeover == true)
        #expect(try agreed(40_000)?.sendContextTakeover == false)
        #expect(try agreed(40_000)?.sendWindowBits == 15)
        #expect(try agreed(20_000)?.receiveWindowBits == 13)
        #expect(try agreed(20_000, "permessage-deflate") == nil)
        #expect(try agreed(4096) == nil)
    }

    @Test("a client and a server with any configurations see the same agreement from both sides")
    func agreement() throws {
        for bits in UInt8(0)..<16 {
            for windows in [(15, 15), (9, 8), (12, 15), (15, 10)] as [(UInt8, UInt8)] {
                var client = DeflateConfiguration.eager(send: bits & 1 != 0, receive: bits & 2 != 0)
                client.sendWindowBitsMax = windows.0
                client.receiveWindowBitsMax = windows.1
                let server = DeflateConfiguration.eager(send: bits & 4 != 0, receive: bits & 8 != 0)
                let agreed = try handshake(client: client, server: server)
                let (ours, theirs) = (try #require(agreed.client), try #require(agreed.server))
                #expect(ours.sendWindowBits == theirs.receiveWindowBits && ours.sendWindowBits <= windows.0)
                #expect(ours.receiveWindowBits == theirs.sendWindowBits && ours.receiveWindowBits <= windows.1)
                #expect(!ours.sendContextTakeover || theirs.receiveContextTakeover)
                #expect(!theirs.sendContextTakeover || ours.receiveContextTakeover)
                #expect(theirs.sendContextTakeover == (bits & 2 != 0 && bits & 4 != 0 && windows.1 > 8))
            }
        }
    }

    @Test("a client offers what it is configured to")
    func offer() {
        #expect(
            DeflateConfiguration.eager().offer?.text
                == "permessage-deflate; server_no_context_takeover; client_no_context_takeover; client_max_window_bits")
        var configuration = DeflateConfiguration.eager(send: true, receive: true)
        configuration.sendWindowBitsMax = 10
        configuration.receiveWindowBitsMax = 9
        #expect(
            configuration.offer?.text == "permessage-deflate; server_max_window_bits=9; client_max_window_bits=10")
        #expect(DeflateConfiguration.eager(memoryBytesMax: 5000).offer == nil)
    }

    @Test(
        "a client fails the connection on an answer that it did not offer or that is wrong (§7.1)",
        arguments: [
            "permessage-deflate", "other", "permessage-deflate; foo; server_no_context_takeover",
            "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
            "permessage-deflate; server_no_context_takeover; server_max_window_bits=13",
            "permessage-deflate; server_no_context_takeover; server_max_window_bits=12; client_max_window_bits=11",
            "permessage-deflate; server_no_context_takeover; server_max_window_bits=12; client_max_window_bits",
            "permessage-deflate; server_no_context_takeover; server_max_window_bits",
            "permessage-deflate; server_no_context_takeover; server_max_window_bits=12, permessage-deflate", ";",
        ])
    func wrongAnswers(answer: String) throws {
        var configuration = DeflateConfiguration.eager(send: true)
        configuration.sendWindowBitsMax = 10
        configuration.receiveWindowBitsMax = 12
        let client = ClientHandshake(host: "a", path: "/", deflate: configuration, key: Array("the sample nonce"))
        var headers: HTTPHeaders = [
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
        ]
        #expect(try client.verify(HTTPResponse(status: 101, headers: headers)).deflate == nil)
        headers.set(
            "Sec-WebSocket-Extensions",
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=11")
        let agreed = try client.verify(HTTPResponse(status: 101, headers: headers)).deflate
        #expect(agreed?.receiveWindowBits == 11 && agreed?.sendWindowBits == 10 && agreed?.sendContextTakeover == false)
        headers.set("Sec-WebSocket-Extensions", answer)
        #expect(throws: HandshakeError.self) { try client.verify(HTTPResponse(status: 101, headers: headers)) }
    }
}

extension String {
    fileprivate func components(_ part: String) -> Int { split(separator: ",").count { $0.contains(part) } }
}

private func == (
    left: (answer: String?, agreement: DeflateAgreement?), right: (String?, DeflateAgreement?)
) -> Bool {
    left.answer == right.0 && left.agreement == right.1
}
