import Foundation

/// Lines for people and scripts, written at once: a pipe must not wait for a buffer to fill.
enum Terminal {
    /// A result, on standard output.
    static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    /// Progress, on standard error.
    static func note(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}
