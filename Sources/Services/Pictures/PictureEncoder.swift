import EventLoop
import Foundation
import Wire

/// Re-encodes uploaded pictures. libvips (Debian's `libvips-tools`) decodes them in a separate, confined process, because decoders
/// process hostile bytes. The process can access the picture and nothing else of the machine (``EventLoop/Confinement``).
struct PictureEncoder: Sendable {
    /// A re-encoded picture: JPEG in sRGB, upright, without metadata.
    struct Encoded: Sendable {
        let width: Int
        let height: Int
        let full: [UInt8]
        let thumb: [UInt8]
    }

    /// A required program is not installed.
    struct ToolMissing: Error, CustomStringConvertible {
        let path: String
        var description: String { "\(path) is missing: apt-get install libvips-tools" }
    }

    /// A step failed for a reason other than the picture's content.
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// Largest number of pixels according to an upload's header; larger pictures are not decoded. A small file can contain a very large
    /// picture.
    static let pixelsMax = 50_000_000
    /// Largest ratio of a profile picture's longer side to its shorter side; a longer strip would be unrecognisable as a square.
    static let profileOblongMax = 10
    /// Largest width and height of a stored picture, in pixels.
    static let fullSideMax = 1_600
    /// Largest width and height of a thumbnail, in pixels.
    static let thumbSideMax = 320
    /// Largest size of an encoded picture or thumbnail; noise at full dimensions takes about a third of it.
    static let encodedBytesMax = 4 * 1_048_576
    /// Time limit of one program, after which it is killed. Fifty million pixels take two seconds of a core.
    static let stepTimeMax = Duration.seconds(30)
    /// Resource limits of one program. An interlaced picture of fifty million pixels with 16 bits a channel is held in memory completely:
    /// 400 MB.
    static let limits = Confinement.Limits(
        addressSpaceBytes: 1_073_741_824, processorSeconds: 20, fileBytes: 67_108_864, descriptors: 64)
    /// Prefix of working directories' names; a random suffix follows.
    static let directoryPrefix = "campanile-picture-"
    /// Age in seconds above which a working directory is a leftover of a killed server.
    static let leftoverSeconds = 3_600.0

    /// The programs, and the interpreters that they may execute.
    struct Tools: Sendable {
        var vips = "/usr/bin/vips"
        var vipsheader = "/usr/bin/vipsheader"
        /// Interpreters of the two programs, in tests.
        var interpreters: [String] = []

        static let installed = Tools()
        var programs: [String] { [vips, vipsheader] + interpreters }
    }

    /// Directory in which working directories are created.
    let directory: String
    /// Resource limits of each program; tests set others, and other values of `oblongMax` and `tools`.
    var limits = Self.limits
    var oblongMax = Self.profileOblongMax
    var tools = Tools.installed
    private let user = DecoderUser.current

    /// Decodes, shrinks and encodes a picture. Blocks for up to several seconds: call it on a worker.
    /// - Throws: ``PictureRejected``; `storageFull`; ``ToolMissing``, ``Failed`` or `SystemError` for a fault of the server.
    func encode(_ bytes: [UInt8], for purpose: PicturePurpose) throws -> Encoded {
        guard PictureFormat(bytes) != nil else { throw PictureRejected.type }
        for tool in [tools.vips, tools.vipsheader] where access(tool, X_OK) != 0 { throw ToolMissing(path: tool) }
        let work = try makeDirectory()
        defer { try? FileManager.default.removeItem(atPath: work) }
        try write(bytes, to: "\(work)/input")
        let size = try size(of: "\(work)/input", in: work)
        guard size.width <= Self.pixelsMax, size.height <= Self.pixelsMax / size.width else {
            throw PictureRejected.tooManyPixels
        }
        let (short, long) = (min(size.width, size.height), max(size.width, size.height))
        guard purpose != .profile || long <= short * oblongMax else { throw PictureRejected.tooElongated }
        let (input, full) = ("\(work)/input", "\(work)/full.jpg")
        try shrink(input, to: "\(full)[Q=82,strip,background=255]", in: work)
        let made = try self.size(of: full, in: work)
        // Made from the re-encoded picture, so that the hostile upload is decoded only once.
        let thumb = "\(work)/thumb.jpg[Q=78,strip]"
        if purpose == .profile {
            // Crops before scaling: `thumbnail --crop` scales first, which turns a strip one pixel wide into millions of pixels.
            let (square, side) = ("\(work)/square.png", "\(min(made.width, made.height))")
            _ = try run(
                [tools.vips, "smartcrop", full, "\(square)[compression=1]", side, side, "--interesting", "attention"],
                in: work)
            try thumbnail(square, to: thumb, in: work, Self.thumbSideMax, [])
        } else {
            try thumbnail(full, to: thumb, in: work, Self.thumbSideMax, ["--size", "down"])
        }
        return Encoded(
            width: made.width, height: made.height, full: try read(full), thumb: try read("\(work)/thumb.jpg"))
    }

    // MARK: Programs

    /// Produces the stored picture. A picture with a colour profile is converted to sRGB; a picture without one is taken as sRGB, because
    /// libvips 8.14 would shift its colours during a conversion.
    private func shrink(_ input: String, to output: String, in work: String) throws {
        let options = ["--size", "down"]
        if try hasProfile(input, in: work) {
            do {
                return try thumbnail(
                    input, to: output, in: work, Self.fullSideMax, options + ["--export-profile", "srgb"])
            } catch let error as PictureRejected where error == .damaged {
                // The profile alone may be unusable, so retry without it.
            }
        }
        try thumbnail(input, to: output, in: work, Self.fullSideMax, options)
    }

    /// Shrinks to a largest side in pixels, applies the EXIF orientation and flattens transparency onto the background.
    private func thumbnail(
        _ input: String, to output: String, in work: String, _ side: Int, _ options: [String]
    ) throws {
        let command = [
            tools.vips, "thumbnail", input, output, "\(side)", "--height", "\(side)", "--fail-on", "truncated",
        ]
        _ = try run(command + options, in: work)
    }

    private func hasProfile(_ path: String, in work: String) throws -> Bool {
        do {
            _ = try run([tools.vipsheader, "-f", "icc-profile-data", path], in: work)
            return true
        } catch let error as PictureRejected where error == .damaged {
            // The header has no such field.
            return false
        }
    }

    /// Reads the dimensions from the header without decoding the picture.
    private func size(of path: String, in work: String) throws -> (width: Int, height: Int) {
        // Example: `/tmp/x/input: 4000x3000 uchar, 3 bands, srgb, jpegload`, with warnings on other lines.
        let output = try run([tools.vipsheader, path], in: work)
        guard let line = output.split(separator: "\n").last(where: { $0.hasPrefix("\(path): ") }),
            let numbers = line.dropFirst(path.utf8.count + 2).split(separator: " ").first?.split(separator: "x"),
            numbers.count == 2, let width = Int(numbers[0]), let height = Int(numbers[1]), width > 0, height > 0
        else { throw PictureRejected.damaged }
        return (width, height)
    }

    private func run(_ command: [String], in work: String) throws -> String {
        let environment = [
            // Blocks the formats that libvips itself marks as unsafe for untrusted input.
            "VIPS_BLOCK_UNTRUSTED": "1", "VIPS_CONCURRENCY": "1", "MALLOC_ARENA_MAX": "2",
            // Where libvips looks for modules. They would read formats that are rejected anyway, by ImageMagick and Poppler among others,
            // and loading them takes longer than everything else at a program's start.
            "VIPSHOME": "/nonexistent",
            // Keeps large images in memory, which is limited, instead of filling the disk.
            "VIPS_DISC_THRESHOLD": "\(limits.addressSpaceBytes)", "TMPDIR": work, "HOME": work,
        ]
        let confinement = Confinement(
            programs: tools.programs, writable: [work], limits: limits,
            user: user.isAnother ? (user.userID, user.groupID) : nil)
        let finished: ChildProcess.Finished
        do {
            finished = try ChildProcess.run(
                command, environment: environment, confinement: confinement, timeLimit: Self.stepTimeMax)
        } catch {
            throw Failed(description: error.description)
        }
        if finished.isTimedOut { throw PictureRejected.tooMuchWork }
        guard finished.status != 0 else { return finished.output }
        if finished.output.contains("No space left on device") { throw RPCError.storageFull }
        // Messages of libvips, GLib and C++.
        if ["out of memory", "failed to allocate", "bad_alloc"].contains(where: { finished.output.contains($0) }) {
            throw PictureRejected.tooMuchWork
        }
        // SIGXCPU is the CPU limit; the kernel sends SIGKILL when memory is exhausted.
        if [128 + SIGXCPU, 128 + SIGKILL].contains(finished.status) { throw PictureRejected.tooMuchWork }
        // The program aborted, as GLib does when it cannot start a thread: that does not depend on the picture.
        if [128 + SIGABRT, 128 + SIGTRAP].contains(finished.status) {
            let words = finished.output.split(separator: "\n").last ?? "no output"
            throw Failed(description: "\(command[0]) ended by signal \(finished.status - 128): \(words.prefix(200))")
        }
        throw PictureRejected.damaged
    }

    // MARK: Files

    private func makeDirectory() throws -> String {
        var template = Array("\(directory)/\(Self.directoryPrefix)XXXXXX".utf8CString)
        // `mkdtemp` creates mode 0700 regardless of the umask.
        guard mkdtemp(&template) != nil else { throw Self.failure("mkdtemp") }
        let path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        if user.isAnother { chown(path, user.userID, user.groupID) }
        return path
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw Self.failure("open") }
        defer { close(file) }
        if user.isAnother { fchown(file, user.userID, user.groupID) }
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("write") }
            offset += count
        }
    }

    /// Reads an encoded file. Symbolic and hard links are rejected, because a compromised decoder could have created one to a file that
    /// the server may read.
    private func read(_ path: String) throws -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { throw Self.failure("open") }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1,
            (1...Self.encodedBytesMax).contains(Int(status.st_size))
        else { throw Failed(description: "the encoded picture is not a regular file of a permitted size") }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                Glibc.read(file, $0.baseAddress?.advanced(by: offset), $0.count - offset)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("read") }
            offset += count
        }
        return bytes
    }

    private static func failure(_ call: String) -> any Error {
        errno == ENOSPC || errno == EDQUOT ? RPCError.storageFull : SystemError(call: call, code: errno)
    }

    /// Removes working directories that a killed server left behind. Blocks: call it on a worker.
    func removeLeftovers() {
        let before = Date(timeIntervalSinceNow: -Self.leftoverSeconds)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        where name.hasPrefix(Self.directoryPrefix) {
            let path = "\(directory)/\(name)"
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
                [geteuid(), user.userID].contains(status.st_uid),
                Double(status.st_mtim.tv_sec) < before.timeIntervalSince1970
            else { continue }
            try? FileManager.default.removeItem(atPath: path)
        }
    }
}
