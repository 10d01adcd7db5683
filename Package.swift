// swift-tools-version: 6.1
import PackageDescription

/// The rules that parsers are fuzzed by. `deploy/fuzz` makes an executable of them, which needs the fuzzer's flags and runtime;
/// otherwise they are part of a test target, which replays the corpus.
let fuzzedModules: [Target.Dependency] = [
    "Authenticators", "Bus", "CLibpq", "CampanileClient", "Campus", "EventLoop", "Hub", "HubCore", "OpenID", "Postgres",
    "Routing",
    "Server",
    "Training",
    "WebSocket",
    "Wire",
]
let fuzzing: Target =
    Context.environment["CAMPANILE_FUZZ"] == nil
    ? .testTarget(
        name: "FuzzingTests", dependencies: fuzzedModules, path: "Tests/Fuzzing",
        exclude: ["Corpus", "Dictionaries", "Runner"], sources: ["Targets", "Replay"])
    : .executableTarget(
        name: "campanile-fuzz", dependencies: fuzzedModules, path: "Tests/Fuzzing",
        exclude: ["Corpus", "Dictionaries", "Replay"], sources: ["Targets", "Runner"])

/// One target per room of the house; a target may only import rooms below it, so the compiler keeps the arrows honest.
/// Flags of a release are in `deploy/build`, because a package with such flags cannot be a dependency.
let package = Package(
    name: "campanile",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "campanile", targets: ["campanile"]),
        .executable(name: "campanile-bench", targets: ["campanile-bench"]),
        .library(name: "CampanileClient", targets: ["CampanileClient"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    ],
    targets: [
        // System libraries.
        .systemLibrary(
            name: "COpenSSL", path: "Sources/Shims/COpenSSL", pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CLibpq", path: "Sources/Shims/CLibpq", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"])]),
        .systemLibrary(
            name: "CZlib", path: "Sources/Shims/CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CNats", path: "Sources/Shims/CNats", pkgConfig: "libnats",
            providers: [.apt(["libnats-dev"])]),
        .systemLibrary(
            name: "CCurl", path: "Sources/Shims/CCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "CCjose", path: "Sources/Shims/CCjose", pkgConfig: "cjose",
            providers: [.apt(["libcjose-dev", "libjansson-dev"])]),
        .systemLibrary(
            name: "CFido2", path: "Sources/Shims/CFido2", pkgConfig: "libfido2",
            providers: [.apt(["libfido2-dev"])]),
        .systemLibrary(
            name: "COath", path: "Sources/Shims/COath", pkgConfig: "liboath",
            providers: [.apt(["liboath-dev"])]),
        .systemLibrary(
            name: "CQrencode", path: "Sources/Shims/CQrencode", pkgConfig: "libqrencode",
            providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CEpoll", path: "Sources/Shims/CEpoll"),
        .systemLibrary(name: "CSandbox", path: "Sources/Shims/CSandbox"),

        // What everything is measured with; knows nothing of what it measures.
        .target(name: "Metrics"),

        // Protocols: no I/O.
        .target(name: "WebSocket", dependencies: ["COpenSSL", "CZlib"]),
        .target(name: "Wire"),
        // OpenID Connect as a relying party. Signatures by libcjose.
        .target(name: "OpenID", dependencies: ["CCjose", "COpenSSL"]),
        // Passkeys by libfido2, time-based codes by liboath, and their QR code.
        .target(name: "Authenticators", dependencies: ["CFido2", "COath", "COpenSSL", "CQrencode", "Wire"]),
        // What is generated from the API registry in Wire: OpenRPC, AsyncAPI, JavaScript, tables of the articles.
        .target(name: "APIDescription", dependencies: ["Wire"]),

        // I/O.
        .target(
            name: "EventLoop",
            dependencies: [
                "CEpoll", "COpenSSL", "CSandbox", "Metrics",
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        // Geography. Its only I/O is the import of a map, for which it runs osmium-tool by the `RunningProgram` of EventLoop.
        .target(name: "Campus", dependencies: ["EventLoop", "Wire"]),
        // Routes through the campus and its buildings. Computes; has no I/O of its own.
        .target(name: "Routing", dependencies: ["Campus", "Wire"]),
        // Exercises, the rules that exclude them, recommended workouts and calories. Computes; has no I/O.
        .target(name: "Training", dependencies: ["Wire"]),
        // An index of names, searched while somebody types. Computes; has no I/O.
        .target(name: "NameSearch"),
        .target(
            name: "Postgres",
            dependencies: [
                "CLibpq", "COpenSSL", "EventLoop", "Metrics",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]),

        // Mail, text messages and Web Push, by libcurl.
        .target(name: "Delivery", dependencies: ["CCurl", "COpenSSL", "EventLoop", "Wire"]),

        .target(
            name: "Bus",
            dependencies: [
                "CNats", "COpenSSL", "EventLoop", "Metrics",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]),

        // The product.
        .target(
            name: "HubCore",
            dependencies: [
                "Bus", "Campus", "EventLoop", "Metrics", "WebSocket", "Wire",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "Hub",
            dependencies: [
                "HubCore", "Bus", "Campus", "EventLoop", "Metrics", "WebSocket", "Wire",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "Services",
            dependencies: [
                "Authenticators", "Hub", "HubCore", "Postgres", "EventLoop", "Campus", "Delivery", "Metrics",
                "NameSearch", "OpenID", "Routing", "Training", "Wire",
                "COpenSSL", "CZlib",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "Server",
            dependencies: [
                "APIDescription", "Services", "Hub", "HubCore", "Bus", "Campus", "Delivery", "Postgres", "EventLoop",
                "Metrics", "OpenID",
                "WebSocket", "Wire",
                "COpenSSL", "CZlib",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "CampanileClient",
            dependencies: [
                "EventLoop", "WebSocket", "Wire",
                .product(name: "DequeModule", package: "swift-collections"),
            ]),
        // The living campus of `campanile demo`: sample people and what they do, as clients of a server in the same process.
        .target(
            name: "Samples",
            dependencies: [
                "CampanileClient", "Campus", "EventLoop", "Postgres", "Server", "Services", "Wire",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "Bench",
            dependencies: [
                "Server", "Services", "CampanileClient", "Postgres", "EventLoop", "Campus", "NameSearch", "Routing",
                "WebSocket", "Wire",
                "CEpoll",
                "COpenSSL", "CZlib",
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .executableTarget(
            name: "campanile-bench",
            dependencies: [
                "Bench", "CommandSupport", "Server",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        // What both programs do the same way: exit codes, output, the start of a process.
        .target(
            name: "CommandSupport",
            dependencies: [
                "Server", "Postgres", "EventLoop", "Campus", "Wire",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .executableTarget(
            name: "campanile",
            dependencies: [
                "APIDescription", "CommandSupport", "Server", "Services", "CampanileClient", "Bus", "Delivery",
                "OpenID", "Postgres", "Samples", "EventLoop",
                "Campus", "Training",
                "WebSocket", "Wire",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]),

        // Tests mirror the rooms. TestSupport is what several of them need: a database and a server of their own, a viewer
        // that keeps what it is sent.
        .target(
            name: "TestSupport",
            dependencies: [
                "Bus", "COpenSSL", "Campus", "CampanileClient", "Delivery", "EventLoop", "Hub", "HubCore", "OpenID",
                "Postgres", "Server", "WebSocket", "Wire",
            ],
            path: "Tests/Support", exclude: ["Servers"]),
        // Requests made from the method catalogue, for a test and for `deploy/fuzz requests`.
        .target(
            name: "RequestFuzzing",
            dependencies: [
                "APIDescription", "Delivery", "Postgres", "Server", "Services", "TestSupport", "Wire",
                .product(name: "Logging", package: "swift-log"),
            ], path: "Tests/Requests/Generator"),
        .executableTarget(
            name: "campanile-requests", dependencies: ["RequestFuzzing", "TestSupport"], path: "Tests/Requests/Runner"),
        .testTarget(name: "WebSocketTests", dependencies: ["WebSocket", "TestSupport"]),
        .testTarget(name: "MetricsTests", dependencies: ["Metrics", "TestSupport"]),
        .testTarget(name: "AuthenticatorsTests", dependencies: ["Authenticators", "TestSupport"]),
        .testTarget(name: "WireTests", dependencies: ["Wire", "TestSupport"]),
        .testTarget(name: "APIDescriptionTests", dependencies: ["APIDescription", "TestSupport", "Wire"]),
        .testTarget(name: "CampusTests", dependencies: ["Campus"]),
        .testTarget(
            name: "RoutingTests", dependencies: ["Campus", "EventLoop", "Routing", "Wire"],
            exclude: ["Oracle/oracle.py"]),
        .testTarget(name: "TrainingTests", dependencies: ["Training", "Wire"]),
        .testTarget(name: "NameSearchTests", dependencies: ["Campus", "NameSearch"]),
        .testTarget(name: "EventLoopTests", dependencies: ["CEpoll", "EventLoop", "TestSupport"]),
        .testTarget(name: "PostgresTests", dependencies: ["EventLoop", "Metrics", "Postgres", "TestSupport"]),
        .testTarget(name: "BusTests", dependencies: ["Bus", "CEpoll", "EventLoop", "Metrics", "TestSupport"]),
        .testTarget(
            name: "SamplesTests",
            dependencies: [
                "CampanileClient", "Campus", "EventLoop", "Samples", "Server", "Services", "TestSupport", "WebSocket",
                "Wire",
            ]),
        .testTarget(name: "CampanileClientTests", dependencies: ["CampanileClient", "EventLoop", "WebSocket", "Wire"]),
        .testTarget(name: "DeliveryTests", dependencies: ["CCurl", "Delivery", "EventLoop", "TestSupport", "Wire"]),
        .testTarget(name: "HubTests", dependencies: ["Bus", "Hub", "HubCore", "TestSupport"]),
        .testTarget(
            name: "ServicesTests", dependencies: ["Authenticators", "Delivery", "OpenID", "Services", "TestSupport"],
            exclude: ["Search/queries.py"]),
        .testTarget(
            name: "ServerTests",
            dependencies: [
                "APIDescription", "Authenticators", "Bus", "Server", "CampanileClient", "CZlib", "EventLoop", "Metrics",
                "RequestFuzzing",
                "TestSupport",
                "WebSocket",
            ]),
        .testTarget(
            name: "BrowserTests",
            dependencies: [
                "APIDescription", "Authenticators", "Server", "CampanileClient", "EventLoop", "TestSupport", "Postgres",
                .product(name: "Logging", package: "swift-log"),
            ]),
        // Lengths, the order of the rooms, and the words of comments and documents. Reads files; depends on nothing.
        .testTarget(name: "StructureTests"),
        .testTarget(name: "BenchTests", dependencies: ["Bench", "Campus", "Wire", "TestSupport"]),
        fuzzing,
    ]
)

// Flags for programs and tests only, as a package with such flags in its libraries cannot be a dependency. The toolchain's linker takes a
// third of the time of its default, gold. LLVM's check of the compiler's own output takes a twentieth of the time of compiling the tests.
for target in package.targets where [.executable, .test].contains(target.type) {
    target.linkerSettings = [.unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux]))]
    target.swiftSettings = [.unsafeFlags(["-Xfrontend", "-disable-llvm-verify"], .when(configuration: .debug))]
}
