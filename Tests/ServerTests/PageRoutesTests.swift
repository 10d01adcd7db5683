import Foundation
import TestSupport
import Testing

@testable import Server

@Suite("Paths of the web app's pages")
struct PageRoutesTests {
    private func routes(_ text: String?) throws -> PageRoutes {
        let file = URL(fileURLWithPath: try TestDirectory.make("routes")).appendingPathComponent(PageRoutes.fileName)
        if let text { try Data(text.utf8).write(to: file) }
        return try PageRoutes(contentsOf: file)
    }

    @Test("A path fits segment by segment; a parameter fits any segment but an empty one")
    func matching() throws {
        let routes = try routes(#"["/", "/map", "/events/:id", "/events/:id/edit"]"#)
        for path in ["/map", "/map/", "/events/3", "/events/new", "/events/3/", "/events/3/edit"] {
            #expect(routes.contains(path), "\(path)")
        }
        for path in [
            "", "/", "//", "///", "map", "/Map", "/map//", "//map", "/map/x", "/events", "/events/", "/events//edit",
            "/events/3/edit/4", "/events/3/4", "/events/3/edit//",
        ] {
            #expect(!routes.contains(path), "\(path)")
        }
    }

    @Test("A missing or wrong file is an error that names it and what to do")
    func wrongFile() throws {
        #expect {
            _ = try routes(nil)
        } throws: { error in
            "\(error)".contains(PageRoutes.fileName) && "\(error)".contains("CAMPANILE_RESOURCES")
        }
        for text in ["", "{}", "[]", "[1]", #"["map"]"#] {
            #expect {
                _ = try routes(text)
            } throws: { error in
                "\(error)".contains(PageRoutes.fileName) && "\(error)".contains("deploy/web --routes")
            }
        }
    }
}
