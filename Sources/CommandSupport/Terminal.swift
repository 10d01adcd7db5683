import Foundation

/// Lines for people and scripts, written at once: a pipe must not wait for a buffer to fill. A reader that went away, such
/// as `head`, is no reason to stop serving: what it would have read is dropped.
public enum Terminal {
    /// A result, on standard output.
    public static func say(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Progress, on standard error.
    public static func note(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}
