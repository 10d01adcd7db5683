import Foundation

/// The network, the place, the screen and the theme that a browser emulates.
extension Browser {
    func setOffline(_ isOffline: Bool) async throws {
        guard isOffline else {
            // The domain does not stay enabled, because Chromium reports each request and each frame of a WebSocket to chromedriver then.
            try await cdp("Network.disable")
            return
        }
        try await cdp("Network.enable")
        try await cdp(
            "Network.emulateNetworkConditions",
            ["offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1])
    }

    /// Sets what the browser emulates, unless it does so already: each such command lays the page out anew.
    /// - Parameter kind: Commands of one kind replace one another.
    private func emulate(_ kind: String, _ name: String, _ parameters: [String: Any] = [:]) async throws {
        let json = try JSONSerialization.data(withJSONObject: parameters, options: .sortedKeys)
        let value = name + String(decoding: json, as: UTF8.self)
        if emulated.withLock({ $0[kind] }) == value { return }
        try await cdp(name, parameters)
        emulated.withLock { $0[kind] = value }
    }

    func setPosition(_ latitude: Double, _ longitude: Double) async throws {
        try await cdp(
            "Emulation.setGeolocationOverride", ["latitude": latitude, "longitude": longitude, "accuracy": 5])
    }

    /// What the page is shown on.
    enum Screen {
        /// A window of 1280 × 800.
        case desktop
        /// 390 × 844 under a finger.
        case phone
    }

    /// - Parameter screen: Nil for the window as it was opened.
    func setScreen(_ screen: Screen?) async throws {
        switch screen {
        case nil: try await emulate("metrics", "Emulation.clearDeviceMetricsOverride")
        case .desktop: try await setMetrics(width: 1280, height: 800, scale: 1, isMobile: false)
        case .phone: try await setMetrics(width: 390, height: 844, scale: 2, isMobile: true)
        }
        let isTouched = screen == .phone
        try await emulate(
            "touch", "Emulation.setTouchEmulationEnabled", ["enabled": isTouched, "maxTouchPoints": isTouched ? 5 : 1])
    }

    /// A phone's size without its touch.
    func setPhone(_ isPhone: Bool) async throws {
        guard isPhone else { return try await setScreen(nil) }
        try await setMetrics(width: 390, height: 780, scale: 2, isMobile: true)
    }

    /// A phone of that size without its touch.
    func setSize(width: Int, height: Int) async throws {
        try await setMetrics(width: width, height: height, scale: 1, isMobile: true)
    }

    private func setMetrics(width: Int, height: Int, scale: Int, isMobile: Bool) async throws {
        try await emulate(
            "metrics", "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": scale, "mobile": isMobile])
    }

    func setDark(_ isDark: Bool) async throws {
        try await emulate(
            "media", "Emulation.setEmulatedMedia",
            ["features": [["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]]])
    }

    /// Whether the reader's system asks for reduced motion, in the light.
    func setMotion(isReduced: Bool) async throws {
        let value = isReduced ? "reduce" : "no-preference"
        try await emulate(
            "media", "Emulation.setEmulatedMedia",
            [
                "features": [
                    ["name": "prefers-reduced-motion", "value": value],
                    ["name": "prefers-color-scheme", "value": "light"],
                ]
            ])
    }
}
