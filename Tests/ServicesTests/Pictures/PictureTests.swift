import EventLoop
import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Pictures")
struct PictureTests {
    /// Says what the test wants, and remembers what it was asked.
    private final class Access: PictureAccess {
        let answer: Bool
        let asked = Mutex<[String]>([])
        init(_ answer: Bool) { self.answer = answer }
        func mayViewProfilePicture(_ id: String, of owner: Int64, by viewer: Int64) -> Bool {
            asked.withLock { $0.append("profile \(id) \(owner) \(viewer)") }
            return answer
        }
        func mayViewChatPicture(_ id: String, conversation: Int64, offset: Int64, by viewer: Int64) -> Bool {
            asked.withLock { $0.append("chat \(id) \(conversation) \(offset) \(viewer)") }
            return answer
        }
    }

    private let world: World
    private let directory: String
    private let pictures: Pictures

    init() async throws {
        let world = try await World()
        self.world = world
        directory = try TestDirectory.make("work")
        pictures = Self.pictures(world, directory)
    }

    private static func pictures(
        _ world: World, _ directory: String, access: any PictureAccess = OwnPicturesOnly(), waitingMax: Int = 64
    ) -> Pictures {
        Pictures(
            database: world.pool, access: access, directory: directory,
            workers: WorkerPool(label: "pictures", concurrentMax: 1, waitingMax: waitingMax), now: { world.clock.now },
            logger: TestDatabase.logger)
    }

    private func shown(_ id: String, _ form: Pictures.Form, to viewer: Identity) async throws -> [UInt8] {
        try await pictures.bytes(of: try await pictures.find(id, for: viewer), form)
    }

    private var filesLeft: [String] { (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? ["?"] }

    // MARK: Taking

    @Test("Of a photograph nothing is kept but the picture, upright and not larger than 1,600 pixels")
    func photograph() async throws {
        let owner = try await world.member()
        let photograph = try TestPicture.photograph(width: 2_000, height: 1_000, orientation: 6)
        let before = try TestPicture.look(at: photograph)
        try #require(before.header.contains("GPSLatitude") && before.header.contains("orientation"))
        let stored = try await pictures.store(photograph, for: .chat, by: owner)
        #expect((stored.width, stored.height) == (800, 1_600))
        for form in Pictures.Form.allCases {
            let bytes = try await shown(stored.picture, form, to: owner)
            for trace in ["Exif", "taken by Anna", "GPS", "ICC_PROFILE", "http://ns.adobe.com"] {
                #expect(!Data(bytes).contains(trace), "\(trace) in \(form)")
            }
            let facts = try TestPicture.look(at: bytes)
            #expect(!facts.header.lowercased().contains("exif") && !facts.header.contains("orientation"))
            #expect((facts.width, facts.height) == (form == .full ? (800, 1_600) : (160, 320)))
            // Red was left: turned clockwise it is above.
            #expect(facts.top[0] > 200 && facts.top[2] < 60, "\(facts.top)")
            #expect(facts.bottom[2] > 200 && facts.bottom[0] < 60, "\(facts.bottom)")
        }
        #expect(filesLeft == [])
    }

    @Test("PNG and WebP are taken as well, small ones stay small, and what is transparent becomes white")
    func formats() async throws {
        let owner = try await world.member()
        for ending in ["png", "webp", "jpg"] {
            let made = try TestPicture.make(ending, width: 200, height: 100)
            let stored = try await pictures.store(made, for: .chat, by: owner)
            #expect((stored.width, stored.height) == (200, 100))
            let facts = try TestPicture.look(at: try await shown(stored.picture, .full, to: owner))
            #expect(facts.header.contains("jpegload"))
            #expect(facts.left[0] > 240 && facts.left[2] < 20 && facts.right[2] > 240 && facts.right[0] < 20)
        }
        let wide = try TestPicture.wideColours(width: 64, height: 64)
        let before = try TestPicture.look(at: wide)
        try #require(before.left[0] < 240 && before.left[1] > 30, "\(before.left)")
        let narrow = try await pictures.store(wide, for: .chat, by: owner)
        let after = try TestPicture.look(at: try await shown(narrow.picture, .full, to: owner))
        #expect(after.left[0] > 240 && after.left[1] < 30, "\(after.left)")
        let clear = try TestPicture.make("png", width: 64, height: 64, alpha: 0)
        let stored = try await pictures.store(clear, for: .chat, by: owner)
        let facts = try TestPicture.look(at: try await shown(stored.picture, .full, to: owner))
        #expect(facts.left.allSatisfy { $0 > 250 } && facts.left.count == 3)
    }

    @Test(
        "What is no JPEG, PNG or WebP is refused, and what to send is said",
        arguments: [
            Array("GIF89a\u{1}\u{0}\u{1}\u{0}\u{0}\u{0}\u{0};".utf8),
            Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8),
            Array("hello".utf8), [], [0, 0, 0, 24] + Array("ftypheic".utf8), Array("RIFF....WAVE".utf8),
            Array("%PDF-1.4".utf8), Array("II*\u{0}".utf8),
        ])
    func otherTypes(bytes: [UInt8]) async throws {
        let owner = try await world.member()
        let error = await #expect(throws: PictureRejected.self) {
            try await pictures.store(bytes, for: .chat, by: owner)
        }
        #expect(error?.reason == .type)
        #expect(error?.description.contains("JPEG, PNG or WebP") == true)
        #expect(filesLeft == [])
    }

    @Test("What cannot be decoded is refused: cut off, broken, or nothing behind the first bytes")
    func damaged() async throws {
        let owner = try await world.member()
        let jpeg = try TestPicture.make("jpg", width: 400, height: 300)
        let png = try TestPicture.make("png", width: 400, height: 300)
        let webp = try TestPicture.make("webp", width: 400, height: 300)
        var broken = jpeg
        // Within the tables.
        for index in 20..<200 { broken[index] = UInt8(truncatingIfNeeded: index &* 37) }
        for bytes in [
            Array(jpeg.prefix(jpeg.count / 2)), Array(png.prefix(png.count / 2)), Array(webp.prefix(webp.count / 2)),
            broken, Array(jpeg.prefix(3)), Array(png.prefix(8)), Array(webp.prefix(12)),
        ] {
            let error = await #expect(throws: PictureRejected.self) {
                try await pictures.store(bytes, for: .chat, by: owner)
            }
            #expect(error?.reason == .content)
            #expect(error?.description.contains("damaged") == true)
        }
        #expect(filesLeft == [])
    }

    @Test("A small file that is a very large picture is refused by its header")
    func bomb() async throws {
        let owner = try await world.member()
        let error = await #expect(throws: PictureRejected.tooManyPixels) {
            try await pictures.store(try TestPicture.bomb(side: 30_000), for: .chat, by: owner)
        }
        #expect(error?.description.contains("50 million pixels") == true)
        #expect(filesLeft == [])
    }

    @Test("Of a profile picture the thumbnail is a square, and a newer one takes its place")
    func profile() async throws {
        let owner = try await world.member()
        let first = try await pictures.store(
            try TestPicture.make("jpg", width: 900, height: 300), for: .profile, by: owner)
        let facts = try TestPicture.look(at: try await shown(first.picture, .thumb, to: owner))
        #expect((facts.width, facts.height) == (320, 320))
        #expect((first.width, first.height) == (900, 300))
        let second = try await pictures.store(
            try TestPicture.make("jpg", width: 90, height: 30), for: .profile, by: owner)
        let small = try TestPicture.look(at: try await shown(second.picture, .thumb, to: owner))
        #expect((small.width, small.height) == (320, 320))
        _ = await refusal(.notFound) { try await pictures.find(first.picture, for: owner) }
    }

    @Test(
        "Strips of one pixel cost next to nothing, whatever is made of them: no program needs more than two seconds of a core",
        arguments: [(1, 20_000), (20_000, 1), (1, 65_000)])
    func strips(width: Int, height: Int) throws {
        let strip = try TestPicture.make("png", width: width, height: height)
        var encoder = PictureEncoder(directory: directory)
        encoder.limits.processorSeconds = 2
        let sent = try encoder.encode(strip, for: .chat)
        #expect([sent.width, sent.height].sorted() == [1, PictureEncoder.fullSideMax])
        let small = try TestPicture.look(at: sent.thumb)
        #expect([small.width, small.height].sorted() == [1, PictureEncoder.thumbSideMax])
        #expect(throws: PictureRejected.tooElongated) { try encoder.encode(strip, for: .profile) }
        // Were it taken, it would not be enlarged beyond its square.
        encoder.oblongMax = 1_000_000
        let square = try TestPicture.look(at: try encoder.encode(strip, for: .profile).thumb)
        #expect((square.width, square.height) == (320, 320))
        #expect(filesLeft == [])
    }

    @Test(
        "A profile picture is at most ten times as long as wide, and of one as long the thumbnail is a square as well")
    func oblong() async throws {
        let owner = try await world.member()
        let stored = try await pictures.store(
            try TestPicture.make("png", width: 2_000, height: 200), for: .profile, by: owner)
        let facts = try TestPicture.look(at: try await shown(stored.picture, .thumb, to: owner))
        #expect((facts.width, facts.height) == (320, 320))
        let error = await #expect(throws: PictureRejected.tooElongated) {
            try await pictures.store(try TestPicture.make("png", width: 199, height: 2_000), for: .profile, by: owner)
        }
        #expect(error?.reason == .content)
        #expect(error?.description == "a profile picture is at most 10 times as long as wide: cut it to a square")
    }

    @Test("When too many wait for the decoder, one more is told when to come again")
    func overload() async throws {
        let owner = try await world.member()
        let busy = Self.pictures(world, directory, waitingMax: 1)
        let picture = try TestPicture.make("jpg", width: 2_000, height: 1_500)
        let outcomes = await withTaskGroup(of: RPCError?.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    do {
                        _ = try await busy.store(picture, for: .chat, by: owner)
                        return nil
                    } catch {
                        return RPCError.clientError(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let refusals = outcomes.compactMap(\.self)
        #expect(!refusals.isEmpty && refusals.count <= 5)
        #expect(refusals.allSatisfy { $0.registered == .unavailable && ($0.data?.retryAfter ?? 0) > 0 })
    }

    // MARK: Showing

    @Test("Nobody else sees a picture that the access check says nothing about, and it looks like none")
    func strangers() async throws {
        let (owner, stranger) = (try await world.member(), try await world.member())
        let bytes = try TestPicture.make("jpg", width: 40, height: 30)
        let missing = await refusal(.notFound) {
            try await pictures.find("00000000-0000-4000-8000-000000000000", for: stranger)
        }
        for purpose in [PicturePurpose.profile, .chat] {
            let stored = try await pictures.store(bytes, for: purpose, by: owner)
            _ = try await pictures.find(stored.picture, for: owner)
            let refused = await refusal(.notFound) { try await pictures.find(stored.picture, for: stranger) }
            #expect(refused == missing)
        }
        #expect(await refusal(.notFound) { try await pictures.find("x' OR 1=1", for: stranger) } == missing)
    }

    @Test("Others see what the access check lets them see, asked anew each time")
    func access() async throws {
        let (owner, viewer) = (try await world.member(), try await world.member())
        let bytes = try TestPicture.make("jpg", width: 40, height: 30)
        let profile = try await pictures.store(bytes, for: .profile, by: owner)
        let chat = try await pictures.store(bytes, for: .chat, by: owner)
        let yes = Access(true)
        let allowing = Self.pictures(world, directory, access: yes)
        _ = try await allowing.find(profile.picture, for: viewer)
        // Not sent yet: nobody is asked.
        _ = await refusal(.notFound) { try await allowing.find(chat.picture, for: viewer) }
        let conversation = try await send(chat, offset: 12)
        let found = try await allowing.find(chat.picture.uppercased(), for: viewer)
        #expect(try await allowing.bytes(of: found, .full) == shown(chat.picture, .full, to: owner))
        let (o, v) = (owner.account.id, viewer.account.id)
        #expect(
            yes.asked.withLock { $0 } == [
                "profile \(profile.picture) \(o) \(v)", "chat \(chat.picture) \(conversation) 12 \(v)",
            ])
        let denying = Self.pictures(world, directory, access: Access(false))
        for id in [profile.picture, chat.picture] {
            _ = await refusal(.notFound) { try await denying.find(id, for: viewer) }
        }
    }

    /// Makes it part of a message, as a chat does.
    /// - Returns: The conversation's number.
    private func send(_ picture: UploadedPicture, offset: Int64, in world: World? = nil) async throws -> Int64 {
        let pool = (world ?? self.world).pool
        let made = try await pool.query(
            "INSERT INTO conversations (kind, name, created_at) VALUES ('group', 'Runners', now()) RETURNING id")
        let conversation = try made[0].int("id")
        _ = try await pool.query(
            "UPDATE pictures SET conversation_id = $2, at_offset = $3 WHERE id = $1",
            [.uuid(picture.picture), .int(conversation), .int(offset)])
        return conversation
    }

    // MARK: Upkeep

    @Test("Twenty pictures may wait to be sent; a day later those that were not are gone, and those that were are not")
    func unused() async throws {
        let world = World(access: try await MigratedDatabase.shared.own(), patience: .seconds(60))
        let pictures = Self.pictures(world, directory)
        let owner = try await world.member()
        let bytes = try TestPicture.make("jpg", width: 40, height: 30)
        let sent = try await pictures.store(bytes, for: .chat, by: owner)
        _ = try await send(sent, offset: 1, in: world)
        let profile = try await pictures.store(bytes, for: .profile, by: owner)
        var waiting: [UploadedPicture] = []
        for _ in 0..<Pictures.unusedPicturesMax {
            try await pictures.requireRoom(for: .chat, of: owner)
            waiting.append(try await pictures.store(bytes, for: .chat, by: owner))
        }
        _ = await refusal(.conflict) { try await pictures.requireRoom(for: .chat, of: owner) }
        _ = await refusal(.conflict) { try await pictures.store(bytes, for: .chat, by: owner) }
        try await pictures.requireRoom(for: .profile, of: owner)
        try await pictures.removeUnused()
        _ = try await pictures.find(waiting[0].picture, for: owner)
        world.clock.advance(bySeconds: Pictures.unusedSeconds + 1)
        try await pictures.removeUnused()
        for picture in waiting { _ = await refusal(.notFound) { try await pictures.find(picture.picture, for: owner) } }
        for picture in [sent, profile] { _ = try await pictures.find(picture.picture, for: owner) }
        try await pictures.requireRoom(for: .chat, of: owner)
        await world.close()
    }

    @Test(
        "An account's pictures for chats have bounded room, which comes back with the pictures, and whose lack says what to do"
    )
    func room() async throws {
        let (owner, other) = (try await world.member(), try await world.member())
        let bytes = try TestPicture.make("jpg", width: 400, height: 300)
        func taken() async throws -> Int64 {
            let rows = try await world.pool.query(
                "SELECT bytes FROM picture_room WHERE account_id = $1", [.int(owner.account.id)])
            return try rows.first?.int("bytes") ?? 0
        }
        let first = try await pictures.store(bytes, for: .chat, by: owner)
        let size = Int64(
            try await shown(first.picture, .full, to: owner).count + shown(first.picture, .thumb, to: owner).count)
        #expect(try await taken() == size)
        // As if it had sent as much as there is room for, but for one such picture and a byte.
        func fill(leaving bytes: Int64) async throws {
            _ = try await world.pool.query(
                "UPDATE picture_room SET bytes = $2 WHERE account_id = $1",
                [.int(owner.account.id), .int(Int64(Pictures.chatBytesMax) - bytes)])
        }
        try await fill(leaving: size)
        let last = try await pictures.store(bytes, for: .chat, by: owner)
        #expect(try await taken() == Int64(Pictures.chatBytesMax))
        let refused = await refusal(.conflict) { try await pictures.requireRoom(for: .chat, of: owner) }
        #expect(
            refused?.message == "your pictures in conversations take 256 MiB, which is all there is for one account: "
                + "delete messages with pictures that you sent, which makes room 14 days later")
        // Found out before the bytes come, and again when it is known how many they are.
        try await fill(leaving: size - 1)
        try await pictures.requireRoom(for: .chat, of: owner)
        #expect(await refusal(.conflict) { try await pictures.store(bytes, for: .chat, by: owner) } == refused)
        // Neither profile pictures nor others' are counted with them.
        _ = try await pictures.store(bytes, for: .profile, by: owner)
        _ = try await pictures.store(bytes, for: .chat, by: other)
        #expect(try await taken() == Int64(Pictures.chatBytesMax) - size + 1)
        _ = try await world.pool.query("DELETE FROM pictures WHERE id = $1", [.uuid(last.picture)])
        #expect(try await taken() == Int64(Pictures.chatBytesMax) - 2 * size + 1)
        _ = try await pictures.store(bytes, for: .chat, by: owner)
    }

    @Test("What a killed server left in its working directory is removed, and what is young or another's is not")
    func leftovers() async throws {
        let old = "\(directory)/\(PictureEncoder.directoryPrefix)old001"
        let young = "\(directory)/\(PictureEncoder.directoryPrefix)young1"
        for path in [old, young, "\(directory)/other"] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try Data([1]).write(to: URL(fileURLWithPath: "\(path)/input"))
        }
        for path in [old, "\(directory)/other"] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -7_200)], ofItemAtPath: path)
        }
        PictureEncoder(directory: directory).removeLeftovers()
        #expect(Set(filesLeft) == ["\(PictureEncoder.directoryPrefix)young1", "other"])
    }
}

extension Data {
    fileprivate func contains(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}
