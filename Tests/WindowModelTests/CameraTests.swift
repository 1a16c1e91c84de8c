// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import Testing
import WindowModel

@Suite struct CameraTests {
    private static let searching = WindowEffect.call(.pair(address: nil, isComingBack: false))

    /// A model on its page to add a laptop, with a camera.
    private static func adding() -> WindowModel {
        var model = connected(DaemonStatus(radio: "bluez", device: "0a1b2c3d", deviceName: "desk"))
        #expect(model.handle(.acted(.show(.addLaptop))).contains(.lookForCamera))
        #expect(model.page.row("ways", "scan") == nil)
        _ = model.handle(.camera(isThere: true))
        return model
    }

    /// A model that is looking for a code.
    private static func scanning() -> WindowModel {
        var model = adding()
        guard case .buttons(let buttons)? = model.page.row("ways", "scan")?.control else {
            fail("no button")
            return model
        }
        // The camera begins after the pairing has ended.
        #expect(model.handle(.acted(buttons[0].action)) == [.call(.endPairing), .scan(true)])
        guard case .camera? = model.page.header else {
            fail("no picture")
            return model
        }
        return model
    }

    @Test func withoutACameraThereIsNoButton() {
        var model = Self.adding()
        _ = model.handle(.camera(isThere: false))
        #expect(model.page.row("ways", "scan") == nil)
        #expect(model.page.row("ways", "code") != nil)
    }

    @Test func aCodeTakesTheWayOfAPastedOne() {
        for text in ["code", "\u{FFFD}", ""] {
            var model = Self.scanning()
            #expect(model.handle(.scanned("\(text)\n")) == [.call(.join(code: text)), .scan(false)])
            _ = model.handle(.failed(.join(code: text), BatonError(.invitationInvalid, .invitationMalformed)))
            guard case .status(_, "The laptop is not added", let words)? = model.page.header else {
                return fail("no failure")
            }
            #expect(words == "This code is not valid, or is too old. Show a new one on the other laptop.")
        }
    }

    @Test func aCodeAfterTheEndIsDropped() {
        var model = Self.scanning()
        #expect(model.handle(.acted(.endScan)) == [Self.searching, .scan(false)])
        #expect(model.handle(.scanned("code")) == [])
        #expect(model.handle(.scanFailed(.failed)) == [])
        guard case .busy? = model.page.header else { return fail("not searching") }
        // Esc does nothing when nothing is being scanned.
        #expect(model.handle(.acted(.endScan)) == [])
    }

    @Test func theCameraIsUsedOnlyWhileItsPageIsOnTheScreen() {
        let leaving: [WindowEvent] = [
            .acted(.back), .acted(.show(.apps)), .window(isShown: false), .daemon(isThere: false),
        ]
        for event in leaving {
            var model = Self.scanning()
            #expect(model.handle(event).contains(.scan(false)))
            for next in [WindowEvent.window(isShown: true), .daemon(isThere: true), .acted(.back)] {
                #expect(!model.handle(next).contains(.scan(true)))
            }
        }
    }

    @Test func aWindowThatWasHiddenOffersToCompareDigitsAndToScanAgain() {
        for again in [WindowAction.pair(.digits), .pair(.scanCode)] {
            var model = Self.scanning()
            _ = model.handle(.window(isShown: false))
            _ = model.handle(.window(isShown: true))
            guard case .status(_, "No laptop is being added", _)? = model.page.header else { return fail("no status") }
            #expect(model.page.buttons.map(\.action) == [.pair(.digits)])
            #expect(model.page.row("ways", "scan") != nil)
            #expect(model.handle(.acted(again)) == [again == .pair(.digits) ? Self.searching : .scan(true)])
        }
    }

    @Test func anotherWayEndsTheScan() {
        var model = Self.scanning()
        #expect(model.handle(.acted(.pair(.showCode))) == [.call(.showCode), .scan(false)])
    }

    @Test(arguments: ScanFailure.allCases) func aFailureIsSaidInWordsAndCanBeTriedAgain(_ failure: ScanFailure) {
        var model = Self.scanning()
        #expect(model.handle(.scanFailed(failure)) == [.scan(false)])
        guard case .status(_, "No code was read", let words)? = model.page.header else { return fail("no failure") }
        #expect(words.hasSuffix(".") && words.contains("amera"))
        #expect(model.page.buttons.map(\.action) == [.pair(.digits), .pair(.scanCode)])
        #expect(model.handle(.acted(.pair(.scanCode))) == [.scan(true)])
    }
}

@Suite struct ScannerMessageTests {
    private static let pixels = ScannerMessage.width * ScannerMessage.height

    private static func header(_ letter: UInt8, _ length: Int) -> [UInt8] {
        [letter] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
    }

    @Test func eachLetterHasItsLengths() {
        for letter in UInt8.min...UInt8.max {
            let (shortest, longest) =
                switch letter {
                case UInt8(ascii: "P"): (Self.pixels, Self.pixels)
                case UInt8(ascii: "C"): (1, 2_953)
                case UInt8(ascii: "E"): (1, 16)
                default: (1, 0)
                }
            for length in [0, 1, 16, 17, 2_953, 2_954, Self.pixels - 1, Self.pixels, Self.pixels + 1, 0xFFFF_FFFF] {
                let allowed = shortest <= length && length <= longest ? length : nil
                #expect(ScannerMessage.contentLength(after: Self.header(letter, length)) == allowed)
            }
        }
        #expect(ScannerMessage.contentLength(after: []) == nil)
        #expect(ScannerMessage.contentLength(after: Self.header(0x43, 1) + [0]) == nil)
    }

    @Test func contentsAreDecoded() {
        let picture = [UInt8](repeating: 7, count: Self.pixels)
        #expect(ScannerMessage(header: Self.header(0x50, Self.pixels), contents: picture) == .picture(picture))
        #expect(ScannerMessage(header: Self.header(0x43, 2), contents: Array("ab".utf8)) == .code("ab"))
        #expect(ScannerMessage(header: Self.header(0x45, 4), contents: Array("busy".utf8)) == .ended(.busy))
        #expect(ScannerMessage(header: Self.header(0x45, 4), contents: Array("none".utf8)) == .ended(.noCamera))
        #expect(ScannerMessage(header: Self.header(0x45, 3), contents: Array("new".utf8)) == .ended(.failed))
        #expect(ScannerMessage(header: Self.header(0x43, 2), contents: [0x61]) == nil)
    }

    /// D-Bus cannot carry NUL, and the window shows a sentence for a wrong code instead.
    @Test func aCodeHasNoNULAndIsUTF8() {
        #expect(
            ScannerMessage(header: Self.header(0x43, 4), contents: [0x61, 0, 0xFE, 0x62])
                == .code("a\u{FFFD}\u{FFFD}b"))
    }
}
