import EventLoop
import Foundation

/// Pictures for tests, made by libvips' own tools. Their left half is red, their right half blue.
public enum TestPicture {
    private static let vips = "/usr/bin/vips"

    /// A picture in the format that the ending names: jpg, png, webp.
    /// - Parameter alpha: Of every pixel, 0-255; nil makes no such channel.
    public static func make(_ ending: String, width: Int, height: Int, alpha: Int? = nil) throws -> [UInt8] {
        let row = (0..<width).flatMap { $0 < width / 2 ? [255, 0, 0] : [0, 0, 255] as [UInt8] }
        let pixels = (0..<height).flatMap { _ in row }
        let directory = try TestDirectory.make("picture")
        let source = "\(directory)/source.ppm"
        let output = "\(directory)/made.\(ending)"
        try Data(Array("P6\n\(width) \(height)\n255\n".utf8) + pixels).write(to: URL(fileURLWithPath: source))
        if let alpha {
            try run(["bandjoin_const", source, output, "\(alpha)"])
        } else {
            try run(["copy", source, output])
        }
        return try bytes(of: output)
    }

    /// A JPEG of a drawing.
    /// - Parameter svg: The drawing; its size is the picture's.
    public static func drawn(_ svg: String) throws -> [UInt8] {
        let directory = try TestDirectory.make("picture")
        try Data(svg.utf8).write(to: URL(fileURLWithPath: "\(directory)/drawing.svg"))
        try run(["flatten", "\(directory)/drawing.svg", "\(directory)/drawn.jpg"])
        return try bytes(of: "\(directory)/drawn.jpg")
    }

    /// A JPEG in the colours of Display P3, as many phones make them, where the same numbers are stronger colours.
    public static func wideColours(width: Int, height: Int) throws -> [UInt8] {
        let directory = try TestDirectory.make("picture")
        try Data(make("jpg", width: width, height: height)).write(to: URL(fileURLWithPath: "\(directory)/in.jpg"))
        try run(["icc_export", "\(directory)/in.jpg", "\(directory)/p3.jpg", "--output-profile", "p3"])
        return try bytes(of: "\(directory)/p3.jpg")
    }

    /// A JPEG with what a phone writes beside the picture: where it was taken, how it was held, a comment.
    /// - Parameter orientation: EXIF's: 6 is to be turned clockwise by a quarter.
    public static func photograph(width: Int, height: Int, orientation: UInt8) throws -> [UInt8] {
        let jpeg = try make("jpg", width: width, height: height)
        // EXIF 2.32 §4.6: TIFF, big-endian. IFD0 at 8 with orientation and the place of the GPS IFD, at 38.
        var exif: [UInt8] = Array("Exif".utf8) + [0, 0] + Array("MM".utf8) + [0, 42, 0, 0, 0, 8]
        exif += [0, 2]
        exif += [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0]
        exif += [0x88, 0x25, 0, 4, 0, 0, 0, 1, 0, 0, 0, 38]
        exif += [0, 0, 0, 0]
        // The latitude, 48° 8' 0" N, three rationals at 68.
        exif += [0, 2, 0, 1, 0, 2, 0, 0, 0, 2, UInt8(ascii: "N"), 0, 0, 0]
        exif += [0, 2, 0, 5, 0, 0, 0, 3, 0, 0, 0, 68, 0, 0, 0, 0]
        exif += [0, 0, 0, 48, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1]
        let comment = Array("taken by Anna".utf8)
        return [0xFF, 0xD8] + segment(0xE1, exif) + segment(0xFE, comment) + jpeg.dropFirst(2)
    }

    private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length = content.count + 2
        return [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + content
    }

    /// A PNG of zeros: a few hundred kilobytes that decode to as many pixels as one likes.
    public static func bomb(side: Int) throws -> [UInt8] {
        let path = "\(try TestDirectory.make("picture"))/bomb.png"
        try run(["black", path, "\(side)", "\(side)"])
        return try bytes(of: path)
    }

    /// What libvips reads in a picture.
    public struct Facts: Sendable {
        /// In pixels.
        public let width: Int
        /// In pixels.
        public let height: Int
        /// Every field of its header, with the metadata.
        public let header: String
        /// Red, green and blue in the middle of the upper half, of the lower, the left and the right.
        public let top: [Double], bottom: [Double], left: [Double], right: [Double]
    }

    /// Looks at a picture.
    public static func look(at picture: [UInt8]) throws -> Facts {
        let path = "\(try TestDirectory.make("picture"))/picture"
        try Data(picture).write(to: URL(fileURLWithPath: path))
        // Each of libvips' programs takes as long to start as to decode a picture: one for the header, one for all pixels.
        let header = try ChildProcess.run(["/usr/bin/vipsheader", "-a", path]).output
        func field(_ name: String) -> Int {
            header.split(separator: "\n").lazy.compactMap {
                $0.hasPrefix("\(name): ") ? Int($0.dropFirst(name.count + 2)) : nil
            }
            .first ?? 0
        }
        let (width, height, bands) = (field("width"), field("height"), field("bands"))
        try run(["rawsave", path, "\(path).raw"])
        let pixels = try bytes(of: "\(path).raw")
        guard pixels.count == width * height * bands, bands > 0 else {
            throw NeverHappened(what: "a picture of bytes: \(header)", limit: .zero)
        }
        func pixel(_ x: Int, _ y: Int) -> [Double] {
            let start = (y * width + x) * bands
            return pixels[start..<start + bands].map(Double.init)
        }
        return Facts(
            width: width, height: height, header: header,
            top: pixel(width / 2, height / 4), bottom: pixel(width / 2, height * 3 / 4),
            left: pixel(width / 4, height / 2), right: pixel(width * 3 / 4, height / 2))
    }

    @discardableResult
    private static func run(_ arguments: [String]) throws -> String {
        let finished = try ChildProcess.run([vips] + arguments)
        guard finished.status == 0 else { throw NeverHappened(what: "vips: \(finished.output)", limit: .zero) }
        return finished.output
    }

    private static func bytes(of path: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(fileURLWithPath: path)))
    }
}
