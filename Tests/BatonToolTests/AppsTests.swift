// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Testing
import UserInfoJSON

@testable import baton

/// Tests the output of `baton apps`, and the input of `baton here`.
@Suite struct AppsTests {
    private let missing = AppStatus(
        application: "mpv", name: "mpv Media Player", state: .missing, adapter: "org.batonproject.Adapter.Media",
        goesOn: "file, second", package: "mpv-mpris")

    @Test("An app's JSON always has all fields")
    func json() throws {
        #expect(
            try Apps.node(missing).text()
                == #"{"adapter":"org.batonproject.Adapter.Media","application":"mpv","goesOn":"file, second","#
                + #""name":"mpv Media Player","package":"mpv-mpris","state":"missing"}"#)
        let own = AppStatus(application: "a", name: "A", state: .on)
        #expect(
            try Apps.node(own).text()
                == #"{"adapter":null,"application":"a","goesOn":null,"name":"A","package":null,"state":"on"}"#)
    }

    @Test(
        "An app's line says what the app continues, or how to make it take part",
        arguments: [
            (AppStatus.State.on, "on  a  A: page"),
            (.missing, "missing  a  A: install the package p, and start the app again"),
            (.off, "off  a  A: run 'baton adapters on z', and 'baton adapters on' if all are off"),
            (.pending, "pending  a  A: run 'baton adapters allow z'"),
            (.refused, "refused  a  A: run 'baton adapters allow z'"),
            (.sandboxed, "sandboxed  a  A: it runs in a sandbox, and no adapter speaks for it"),
            (AppStatus.State(rawValue: "later"), "later  a  A"),
        ])
    func line(state: AppStatus.State, line: String) {
        let app = AppStatus(application: "a", name: "A", state: state, adapter: "z", goesOn: "page", package: "p")
        #expect(Apps.line(app) == line)
    }

    @Test("A path arrives as hexadecimal digits, and is refused if it is not UTF-8")
    func path() {
        #expect(Here.path("2f686f6d652fc3a9") == "/home/é")
        #expect(Here.path("2fe9") == nil && Here.path("2fg0") == nil)
    }
}
