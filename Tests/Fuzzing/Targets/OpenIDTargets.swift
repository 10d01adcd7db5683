import Foundation

@testable import OpenID

extension FuzzTarget {
    static let openID = [
        FuzzTarget("openid-callback", inputBytesMax: 2048, run: OpenIDRules.callback),
        FuzzTarget("openid-token", inputBytesMax: 2048, run: OpenIDRules.token),
        FuzzTarget("openid-document", inputBytesMax: 4096, run: OpenIDRules.document),
    ]
}

/// What providers of OpenID Connect and browsers send.
enum OpenIDRules {
    static let settings = ProviderSettings(
        name: "campus", label: "Campus", issuer: "https://id.example", clientID: "campanile",
        credential: .secret("secret"))
    /// Public keys whose private ones nobody has any more, so that no input can be signed by them.
    static let keys = #"""
        {"keys":[{"kty":"EC","kid":"b","crv":"P-256",
        "x":"oGfTkhJR53xPhj1YQPgBq3rIsDFz077vO8ZfHmKMuOU","y":"blcCFV-54_0LPlmmcr4Ltb3puC-iYm1M4mScwCC-b6k"},
        {"kty":"RSA","kid":"a","use":"sig","e":"AQAB","n":"\#(modulus)"}]}
        """#
    private static let modulus =
        "qIF8Ysp0Fcx91aV-PQE_b4kmRsBdrjaj54bhc3yuP_z6T0XPFxCfyGzMdRaGtbsoLrPJQK1zQDE453rSqGGfVLLT1mOvXDBGDFebOafZ03eEOXI5TM"
        + "A8pE23ragslKFMhlO2TGWhFh36FTjPB4BWOv6ylaYyPEQf4n4SC87YlUDtVjXQaJb3WcRQ2omCtH4fdyc1HvBcm7T9kkkn5fcL_zMq6uWZCsuHOfD2"
        + "IlssJk7kTrAtAbWlLKxuLGtNI_cPbnsjpC256ldHz2ZfkQfbUO1waiYGb3mDYrKTTxPoXVBXrsiDsJFp2Bbm7lYHlF9uSMIZPTacWxwH8O0W1GVhSQ"
    static let now = 1_800_000_000.0
    static let nonce = "nonce"

    static func metadata() throws -> ProviderMetadata {
        let text = #"""
            {"issuer":"https://id.example","authorization_endpoint":"https://id.example/a","token_endpoint":"https://id.example/t",
            "jwks_uri":"https://id.example/k","userinfo_endpoint":"https://id.example/u","response_types_supported":["code"],
            "id_token_signing_alg_values_supported":["RS256","PS256","ES256","none","HS256"]}
            """#
        return try ProviderMetadata(Array(text.utf8), of: settings)
    }

    /// A callback leads to a request of bounded length, or to an error that is plain.
    static func callback(_ input: [UInt8]) throws {
        do {
            let callback = try Callback(form: input)
            try demand(callback.state.utf8.count == Callback.stateCharacters, "a state has its length")
            try demand(callback.names.allSatisfy { $0.utf8.count <= Claims.textBytesMax }, "names are short")
            let exchange = TokenExchange(settings, try metadata(), nonce: nonce)
            let request = try exchange.tokenRequest(
                for: callback, verifier: "verifier", redirectURI: "https://campus.example/c", now: now)
            let form = request.form ?? ""
            try demand(form.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a form is visible ASCII")
            let fields = Encoding.fields(Array(form.utf8))
            try demand(
                fields?.count { $0.0 == "code" } == 1
                    && fields?.first { $0.0 == "grant_type" }?.1 == "authorization_code",
                "what a browser sends adds no field")
        } catch let failure as OpenIDFailure {
            try demandPlain(failure.description)
        }
    }

    /// No input signs anybody in: nobody has the keys.
    static func token(_ input: [UInt8]) throws {
        let exchange = TokenExchange(settings, try metadata(), nonce: nonce)
        let keys = try KeySet(Array(keys.utf8))
        try demand(keys.count == 2, "the keys are good ones")
        let text = String(decoding: input, as: UTF8.self)
        do {
            let outcome = try exchange.identity(
                .init(idToken: text, accessToken: "access"), keys: keys, now: now)
            try demand(outcome == .unknownKey, "no token without a signature proves anything")
        } catch let failure as OpenIDFailure {
            try demandPlain(failure.description)
        }
        do {
            _ = try exchange.tokens(.init(status: 200, body: input))
        } catch let failure as OpenIDFailure {
            try demandPlain(failure.description)
        }
    }

    /// Documents of a provider are read, or refused by a plain error; what is read keeps its rules.
    static func document(_ input: [UInt8]) throws {
        do {
            let metadata = try ProviderMetadata(input, of: settings)
            try demand(metadata.issuer == settings.issuer, "the issuer is that of the settings")
            for url in [metadata.authorizationEndpoint, metadata.tokenEndpoint, metadata.keysURL] {
                try demand(ProviderURL(url) != nil, "endpoints are URLs that may be used")
            }
        } catch let failure as OpenIDFailure {
            try demandPlain(failure.description)
        }
        do {
            try demand(try KeySet(input).count <= KeySet.keysMax, "few keys are looked at")
        } catch let failure as OpenIDFailure {
            try demandPlain(failure.description)
        }
        if let claims = try? JSONDecoder().decode(Claims.self, from: Data(input)) {
            try demand(claims.names.allSatisfy { $0.utf8.count <= Claims.textBytesMax }, "names are short")
        }
        let refused = { (_: String) throws(ProviderSettings.Invalid) -> [UInt8] in throw .init("there are no files") }
        do {
            let providers = try ProviderFile.providers(input, read: refused)
            try demand(providers.count <= ProviderFile.providersMax, "few providers are set up")
        } catch let invalid as ProviderSettings.Invalid {
            try demand(!invalid.description.isEmpty, "an error says something")
        }
    }
}
