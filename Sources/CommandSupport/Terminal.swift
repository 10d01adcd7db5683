import Foundation

/// Unbuffered output of lines for people and scripts, so that a pipe does not wait for a buffer to fill. Output to a reader that has
/// exited, such as `head`, is dropped without stopping the program.
public enum Terminal {
    /// Writes a result to standard output.
    public static func output(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Writes progress to standard error.
    public static func progress(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}
