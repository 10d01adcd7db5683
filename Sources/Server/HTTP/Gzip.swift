import CZlib

/// The gzip coding (RFC 1952, RFC 9110 §8.4.1.3), for content that is compressed once and sent often. Off the loops: a megabyte takes tens
/// of milliseconds.
enum Gzip {
    /// Size up to which content is not compressed, because it fits into one or two packets.
    static let compressAboveBytes = 1_024
    /// Largest share of the original size at which the gzip form is used. A smaller saving is not worth a second entity tag.
    static let worthwhileShare = 0.9

    /// Gzip form of the bytes; nil if it is not worthwhile or zlib has no memory.
    /// - Parameter level: 1 (fast) to 9 (small).
    static func compressed(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8]? {
        guard bytes.count > compressAboveBytes, bytes.count <= Int(UInt32.max) / 2 else { return nil }
        var stream = z_stream()
        // 15 bits of window, plus 16 for the gzip header. The time in the header stays 0, so that the same bytes have the same entity tag.
        guard campanile_deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK else {
            return nil
        }
        defer { deflateEnd(&stream) }
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
        let status = bytes.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { room in
                // zlib only reads the input; its declaration lacks the const.
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = UInt32(input.count)
                stream.next_out = room.baseAddress
                stream.avail_out = UInt32(room.count)
                return deflate(&stream, Z_FINISH)
            }
        }
        guard status == Z_STREAM_END else { return nil }
        let count = output.count - Int(stream.avail_out)
        guard Double(count) < Double(bytes.count) * worthwhileShare else { return nil }
        return Array(output.prefix(count))
    }

    /// Whether content of a media type is compressible: text is, pictures and fonts are compressed already.
    static func suits(_ contentType: String) -> Bool {
        contentType.hasPrefix("text/") || contentType.contains("json") || contentType.contains("xml")
    }
}
