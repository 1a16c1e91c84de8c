// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import AssociatedDomains
import BatonBus
import DesktopEntries
import Diagnosis
import Foundation
import Testing

@testable import BatonDesktop

/// Tests which installed app gets an activity, within what the user and the domains permit.
@Suite struct UsableAppsTests {
    private var apps = UsableApps(
        grants: GrantKeeper(store: GrantStore()), adapters: AdapterKeeper(store: AdapterStore()),
        domains: DomainKeeper(store: AgreementStore()))
    private let note = "org.example.note"

    private mutating func install(_ entries: [String: String]) throws {
        let installed = try entries.map { identifier, lines in
            let text = "[Desktop Entry]\nType=Application\nName=App\nExec=true\n\(lines)"
            return try #require(DesktopEntry(identifier: identifier, text: text))
        }
        apps.grants.install(DesktopEntryIndex(installed))
        apps.update(AdapterSwitches())
    }

    private func result(of application: String) -> SearchResult {
        SearchResult(
            application: application,
            activity: SavedUserActivity(
                identity: ActivityIdentity(), state: ActivityState(activityType: note), keywords: [],
                contentAttributeSet: nil))
    }

    @Test("Apps declare their types by team, and pages if a domain may approve an app")
    mutating func kinds() throws {
        try install(["a.b.Notes": "X-Baton-ActivityTypes=\(note)\n"])
        #expect(apps.kinds == ["": [note]])
        try install([
            "a.b.Notes": "X-Baton-Team=TEAM\nX-Baton-ActivityTypes=\(note)\n",
            "a.b.Reader": "X-Baton-Team=TEAM\nX-Baton-AssociatedDomains=example.com;\n",
        ])
        #expect(apps.kinds == ["TEAM": [note], "": [ActivityState.browsingWeb]])
    }

    @Test("A sandboxed app gets its saved activity after the user has allowed the type, and a removed app gets nothing")
    mutating func savedActivities() throws {
        try install(["org.example.Letters": "X-Flatpak=org.example.Letters\nX-Baton-ActivityTypes=\(note)\n"])
        let letters = result(of: "org.example.Letters")
        #expect(throws: BatonError.self) { try apps.app(of: letters) }
        #expect(apps.kinds.isEmpty)
        try apps.grants.allow(
            AppGrant(sandbox: "flatpak", application: "org.example.Letters", state: .granted, types: [note]))
        apps.update(AdapterSwitches())
        #expect(try apps.app(of: letters).identifier == "org.example.Letters")
        #expect(apps.kinds == ["": [note]])
        let gone = #expect(throws: BatonError.self) { try apps.app(of: result(of: "a.b.Gone")) }
        #expect(gone?.reason?.failure == .appGone)
    }

    @Test("The app that a page's domain has approved gets the page, unless the user wants another app")
    mutating func approvedPage() throws {
        try install([
            "a.b.Browser": "X-Baton-ActivityTypes=\(ActivityState.browsingWeb)\n",
            "a.b.Reader": "X-Baton-Team=TEAM\nX-Baton-AssociatedDomains=example.com;\n",
        ])
        let begun = apps.domains.begin(try apps.domains.claimed("example.com"), mayBeLocal: false)
        let request = try #require(begun)
        apps.domains.ended(request, with: .answered(approved: request.apps, lifetime: 86_400))
        let offer = OfferSummary(
            offer: "offer-1", device: "0a1b2c3d", deviceName: "desk", team: "", type: ActivityState.browsingWeb,
            hasWebpage: true)
        var state = ActivityState(activityType: ActivityState.browsingWeb)
        state.webpageURL = URL(string: "https://example.com/a")
        let page = ContinuedActivity(
            continuation: "c-1", activity: state, device: "0a1b2c3d", deviceName: "desk", transport: "l2cap")
        let chosen = try apps.recipient(of: offer, fetched: page, wanted: nil, AppChoice())
        #expect(chosen?.app.identifier == "a.b.Reader" && chosen?.team == "TEAM")
        for fetched in [page, nil] {
            let wanted = try apps.recipient(of: offer, fetched: fetched, wanted: "a.b.Browser", AppChoice())
            #expect(wanted?.app.identifier == "a.b.Browser" && wanted?.team == nil)
        }
    }
}
