/// Allocates byte arrays to write into.
///
/// The standard library's initialisers that leave memory uninitialised, or fill it, are not specialised for bytes by
/// this compiler (Swift 6.3). Each call looks up generic metadata, which costs more than the rest of an echo. Copying
/// is specialised.
enum ByteArrays {
    private static let zeroBytes = 4_096
    /// Never written and never freed.
    private nonisolated(unsafe) static let zeros: UnsafeRawPointer = {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: zeroBytes, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: zeroBytes)
        return UnsafeRawPointer(memory)
    }()

    /// An array of zeros. O(count), one allocation.
    static func zeros(count: Int) -> [UInt8] {
        guard count <= zeroBytes else { return [UInt8](repeating: 0, count: count) }
        return Array(UnsafeRawBufferPointer(start: zeros, count: count))
    }
}
