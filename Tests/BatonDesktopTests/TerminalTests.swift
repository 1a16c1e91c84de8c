// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import Testing

@testable import BatonDesktop

@Suite struct TerminalTests {
    @Test("The desktop's terminal is used, or Debian's alternative if there is none")
    func desktopsTerminal() async throws {
        #expect(try await Terminal.running(["vi", "a b"]) { _ in true } == ["xdg-terminal-exec", "vi", "a b"])
        #expect(
            try await Terminal.running(["vi", "a b"]) { $0 == "x-terminal-emulator" }
                == ["x-terminal-emulator", "-e", "vi", "a b"])
    }

    @Test("Without a terminal, the error says what to install")
    func noTerminal() async throws {
        let error = await #expect(throws: BatonError.self) { try await Terminal.running(["vi"]) { _ in false } }
        #expect(error?.code == .applicationFailed)
        #expect(error?.reason?.failure == .noTerminal)
    }
}
