import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

extension WebSharing.SharingTests {
    @Test(
        "A pin is where everybody sees one who looks; stopping all of it without a network ends the telling at once, and the shares with the network"
    )
    func campusAndOffline() async throws {
        let server = try await WebRoot.start()
        let (anna, ben, _) = try await Self.buddies(on: server)
        try await ben.page.open("/map")
        try await ben.browser.wait("the switch", "document.getElementById('people-campus')")
        try await Self.choose("#people-campus", in: ben.browser)
        try await anna.browser.withEndableSockets {
            try await anna.page.open("/map")
            try await anna.browser.wait("the map", "document.querySelector('#map.leaflet-container canvas')")
            try await anna.browser.tap("#map-more")
            try await anna.browser.tap("#pin")
            try await anna.browser.wait("it says how", "document.getElementById('pin-middle')")
            try await anna.expectNames("setting a pin")
            try await anna.browser.shots("sharing-30-pinning-phone")
            // The sheet makes room, and the whole campus moves into it: until then its middle lies elsewhere, out of Ben's cells.
            try await anna.browser.wait(
                "the map rests",
                """
                (() => {
                  const box = document.querySelector('#map canvas').getBoundingClientRect();
                  const [transform, bottom] = [document.querySelector('.leaflet-map-pane').style.transform, document.getElementById('pin-middle').getBoundingClientRect().bottom];
                  const now = JSON.stringify([box, transform, bottom]);
                  window.restingFor = now === window.lastPlace ? (window.restingFor ?? 0) + 1 : 0;
                  window.lastPlace = now;
                  return window.restingFor >= 10;
                })()
                """)
            try await anna.browser.tap("#pin-middle")
            try await anna.browser.wait(
                "the pin", "document.getElementById('pin-clear') && campanile.me() !== null")
            try await Self.share(anna, "campus")
            try await anna.browser.wait("one share", "campanile.sharing.working === 1")
            try await ben.browser.wait("Ben sees her", "\(Self.people)[0]?.name === 'Anna Berger'")
            #expect(try await anna.browser.script("return campanile.sharing.duty === 'pinned'"))
            try await ben.browser.shots("sharing-31-campus-desktop")
            try await Self.share(anna, "person")
            try await anna.browser.wait("two shares", "campanile.sharing.working === 2")
            try await anna.browser.loseNetwork()
            try await anna.browser.tap("#share-bar-stop")
            try await anna.browser.wait("which", "document.querySelectorAll('#stop-list li').length === 2")
            try await anna.browser.shots("sharing-32-stop-phone")
            try await anna.browser.tap("#stop-all")
            try await anna.browser.wait("it stops", "\(Self.bar).dataset.state === 'stopping'")
            #expect(try await ben.browser.script("return \(Self.people).length === 1"))
            try await anna.browser.setOffline(false)
            try await ben.browser.wait("Ben's map is empty", "\(Self.people).length === 0")
            try await anna.browser.wait("it is over", "\(Self.bar).hidden")
        }
        let mine = try await anna.connection.call(SharingMine.self, .init()).shares
        #expect(mine.isEmpty)
        for person in [anna, ben] {
            try await person.page.expectQuietConsole(
                except: ["favicon.ico", "location provider"] + Page.networkErrors)
            try await person.leave()
        }
        await server.stop()
    }
}
