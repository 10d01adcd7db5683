import CQrencode

/// A QR code (ISO/IEC 18004), by libqrencode.
public struct QRSymbol: Sendable, Equatable {
    /// Rows of modules, `1` for a dark one; without the margin.
    public let rows: [String]

    /// Encodes a text of at most 1 kB; nil if it does not fit.
    public init?(_ text: String) {
        guard text.utf8.count <= 1_024, let symbol = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
        defer { QRcode_free(symbol) }
        let width = Int(symbol.pointee.width)
        guard width > 0, let data = symbol.pointee.data else { return nil }
        rows = (0..<width).map { row in
            String((0..<width).map { data[row * width + $0] & 1 == 1 ? "1" : "0" })
        }
    }
}
