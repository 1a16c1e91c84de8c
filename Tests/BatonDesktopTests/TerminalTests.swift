// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Testing

@testable import BatonDesktop

@Suite struct TerminalTests {
    @Test func terminalIsTheDesktopsOrElseDebiansAlternative() throws {
        #expect(try Terminal.running(["vi", "a b"]) { _ in true } == ["xdg-terminal-exec", "vi", "a b"])
        #expect(
            try Terminal.running(["vi", "a b"]) { $0 == "x-terminal-emulator" }
                == ["x-terminal-emulator", "-e", "vi", "a b"])
    }

    @Test func whereThereIsNoTerminalItIsSaidWhatToInstall() throws {
        let error = #expect(throws: BatonError.self) { try Terminal.running(["vi"]) { _ in false } }
        #expect(error?.code == .applicationFailed)
        #expect(error?.message.contains("install xdg-terminal-exec") == true)
    }
}
