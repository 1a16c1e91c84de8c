// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import Foundation
import Glibc
import Testing
import UserActivity

@testable import baton

@Suite struct ToolTests {
    private let offers = [
        OfferSummary(offer: "1", device: "aa", deviceName: "desk", type: "t"),
        OfferSummary(
            offer: "2", device: "bb", deviceName: "sofa", type: "t", title: "T", signal: -40, supportsStreams: true),
        OfferSummary(offer: "3", device: "bb", deviceName: "sofa", type: nil),
    ]

    @Test func ambiguousTypeIsAnErrorThatListsTheChoices() throws {
        let error = #expect(throws: ToolFailure.self) {
            try OfferChoice(offer: nil, type: "t", from: nil).select(offers)
        }
        #expect(error?.description.contains("2 offers fit") == true)
        #expect(error?.description.contains("1  desk  t; 2  sofa  t  -40 dBm  streams  T") == true)
        #expect(try OfferChoice(offer: nil, type: "t", from: "bb").select(offers)?.offer == "2")
        #expect(try OfferChoice(offer: nil, type: "t", from: "aa").select(offers)?.offer == "1")
        #expect(try OfferChoice(offer: "3", type: nil, from: nil).select(offers)?.offer == "3")
        #expect(try OfferChoice(offer: nil, type: "u", from: nil).select(offers) == nil)
    }

    @Test func nameThatSeveralDevicesHaveMeansNone() throws {
        let names = DeviceNames([
            CircleMember(device: "0a1b2c3d", name: "desk"), CircleMember(device: "11111111", name: "desk"),
            CircleMember(device: "22222222", name: "sofa"), CircleMember(device: "33333333", name: "0a1b2c3d"),
            CircleMember(device: "44444444", name: "99999999"),
        ])
        #expect(try names.device(called: "sofa").device == "22222222")
        #expect(try names.device(called: "0a1b2c3d").name == "desk")
        let several = #expect(throws: BatonBusError.self) { try names.device(called: "desk") }
        #expect(several?.code == .invalidArgument && several?.message.contains("0a1b2c3d, 11111111") == true)
        // What has the form of an id is none's name.
        for text in ["nobody", "99999999"] {
            let none = #expect(throws: BatonBusError.self) { try names.device(called: text) }
            #expect(none?.code == .notFound && none?.message.contains("22222222 (sofa)") == true)
        }
    }

    @Test func ruleIsShownWithTheNameOfItsDevice() {
        let members = [CircleMember(device: "0a1b2c3d", name: "desk")]
        #expect(
            Rules.line("near type=t device=0a1b2c3d signal=-60", members)
                == "near type=t device=0a1b2c3d signal=-60  (desk)")
        #expect(
            Rules.line("never device=11111111", members).hasSuffix("(a device that is not in the circle: about none)"))
        #expect(Rules.line("never device=sofa", members).hasSuffix("(a name; see baton status)"))
        #expect(Rules.line("ask", members) == "ask")
    }

    @Test func whatAnAppHasIsTakenBackBeforeWhatItAsksForIsRefused() {
        let grants = [AppGrant.State.pending, .refused, .granted, .pending].enumerated().map {
            AppGrant(sandbox: "flatpak", application: "org.example.App", state: $1, team: "t\($0)", types: ["a.b"])
        }
        #expect(Grants.Refuse.open(grants) == [grants[2], grants[0], grants[3]])
    }

    @Test func typeThatIsNotThereNamesTheOffersThatMayBeIt() {
        let unknown = OfferChoice(offer: nil, type: "u", from: nil).notFound(after: Seconds(0), among: offers)
        #expect(unknown.contains("3 (from sofa) is of a type that is not known yet"))
        let elsewhere = OfferChoice(offer: nil, type: "u", from: "desk").notFound(after: Seconds(0), among: offers)
        #expect(!elsewhere.contains("not known yet"))
    }

    @Test func offersHaveTheirKeysAndNullWhereNothingIsKnown() throws {
        #expect(
            try OfferText.node(offers[2]).text()
                == #"{"device":"sofa","deviceID":"bb","offer":"3","signal":null,"streams":false,"title":null,"type":null,"webpage":false}"#
        )
        #expect(try OfferText.node(.disappeared(offer: "3")).text() == #"{"event":"disappeared","offer":"3"}"#)
        #expect(OfferText.table(offers)[2] == "2      sofa    t          -40 dBm  streams  T")
    }

    @Test func devicesOfTheSameNameAreToldWhatToDo() {
        func circle(_ other: String) -> CircleSummary {
            CircleSummary(
                circle: "c", device: "aa", deviceName: "vm",
                members: [
                    CircleMember(device: "aa", name: "vm", isThisDevice: true),
                    CircleMember(device: "bb", name: other, isThisDevice: false),
                ])
        }
        #expect(CircleText.sameName(circle("sofa")) == nil)
        #expect(CircleText.sameName(circle("vm"))?.contains("baton rename NAME") == true)
        #expect(CircleText.others(circle("so\u{1B}fa")) == "so\u{1B}fa")
    }

    @Test func whoRemovesADeviceIsToldWhomItTookIn() {
        let rest = [
            CircleMember(device: "aa", name: "desk", isThisDevice: true),
            CircleMember(device: "bb", name: "sofa", takenInBy: ["aa", "cc"]),
            CircleMember(device: "dd", name: "thief\u{1B}", takenInBy: ["cc"]),
        ]
        #expect(
            Remove.advice(on: ["dd"], of: rest) == [
                "thief\u{1B} (dd) came into the circle by way of it, and stays; if that was not you: baton remove dd"
            ])
        #expect(
            Devices.lines(rest) == [
                "aa  desk  (this device)", "bb  sofa  (taken in by desk, cc, which is gone)",
                "dd  thief\u{1B}  (taken in by cc, which is gone)",
            ])
    }

    @Test(arguments: [
        ["continue"], ["continue", "1", "--type", "t"], ["continue", "1", "--from", "d"],
        ["continue", "--type", "t", "--json", "--stream-to", "-"], ["continue", "1", "--wait", "-1"], ["publish"],
        ["continue", "1", "--wait", "nan"], ["circle", "create", "--name", ""], ["circle", "invite"], ["nonsense"],
    ])
    func wrongUseIsRefused(arguments: [String]) {
        #expect(throws: (any Error).self) { try BatonTool.parseAsRoot(arguments) }
    }

    @Test func failureIsOneLineThatSaysWhatToDo() {
        let error = BatonBusError(.noCircle, "this device is in no circle\nyet")
        #expect(
            ToolFailure.oneLine(error, message: "")
                == "this device is in no circle yet; make one with: baton circle create, or join one with: "
                + "baton circle join FILE")
    }

    @Test func activityIsMadeOfItsOptions() throws {
        let options = try ActivityOptions.parse(
            ["--type", "t", "--info", "a=1=2", "--info", "b=", "--webpage", "https://example.org/"])
        let state = try options.state()
        #expect(state.userInfo == ["a": "1=2", "b": ""])
        #expect(state.webpageURL?.absoluteString == "https://example.org/")
        for bad in [
            ["--info", "x"], ["--info", "=x"], ["--info", "a=1", "--info", "a=2"], ["--webpage", "file:///x"],
        ] {
            #expect(throws: ToolFailure.self) { try ActivityOptions.parse(["--type", "t"] + bad).state() }
        }
        #expect(throws: ToolFailure.self) { try ActivityOptions.parse(["--type", ""]).state() }
        #expect(throws: ToolFailure.self) {
            try ActivityOptions.parse(["--type", "t", "--info-json", "/dev/zero"]).state()
        }
    }

    @Test func newFileIsPrivateAndNeverReplacesOrFollows() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "new-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appending(path: "invitation").path()
        let file = try NewFile(path: path, mode: 0o600)
        try Descriptor.writeAll([65], to: file.descriptor.number, called: path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path()).allSatisfy { $0 != "invitation" })
        try file.createExclusively()
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(throws: ToolFailure.self) { try NewFile(path: path, mode: 0o600).createExclusively() }
        let link = directory.appending(path: "link").path()
        try #require(symlink(directory.appending(path: "elsewhere").path(), link) == 0)
        #expect(throws: ToolFailure.self) { try NewFile(path: link, mode: 0o600).createExclusively() }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path()).sorted() == ["invitation", "link"])
    }
}
