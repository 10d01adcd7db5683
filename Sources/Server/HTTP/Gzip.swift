import CZlib

/// The gzip coding (RFC 1952, RFC 9110 §8.4.1.3), for what is compressed once and sent often. Off the loops: a megabyte takes
/// tens of milliseconds.
enum Gzip {
    /// What is shorter fits a packet or two as it is.
    static let compressAboveBytes = 1_024
    /// A gzip form that saves less than a tenth of the bytes is not worth a second entity tag.
    static let worthwhileShare = 0.9

    /// The gzip form; nil when it is not worth it, or zlib has no memory.
    /// - Parameter level: 1 (fast) to 9 (small).
    static func compressed(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8]? {
        guard bytes.count > compressAboveBytes, bytes.count <= Int(UInt32.max) / 2 else { return nil }
        var stream = z_stream()
        // 15 bits of window, and 16 for the gzip header. Its time stays zero: the same bytes give the same entity tag.
        guard campanile_deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK else {
            return nil
        }
        defer { deflateEnd(&stream) }
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
        let status = bytes.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { room in
                // zlib reads the input only; its declaration lacks the const.
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

    /// Whether a media type's bytes shrink: text does, pictures and fonts are compressed already.
    static func suits(_ contentType: String) -> Bool {
        contentType.hasPrefix("text/") || contentType.contains("json") || contentType.contains("xml")
    }
}
