// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import ChildProcesses
import Foundation
import Testing

/// Tests that code in the style of public apps hands activities over in Swift 6 mode.
///
/// For the other modes, `Tests/Programs/AppShapes/run` tries the same files.
@Suite(.timeLimit(.minutes(5))) struct AppShapesTests {
    @Test("Code in the style of public apps hands over in Swift 6 mode")
    func shapesHandOver() async throws {
        let output = Pipe()
        let program = try await ChildProcess(
            Sandbox.built("app-shapes"), output: .handle(output.fileHandleForWriting))
        let said = String(decoding: try await output.fileHandleForReading.allUpcoming(), as: UTF8.self)
        #expect(try await program.end == .exited(0), "\(said)")
        #expect(said.split(separator: "\n").filter { $0.hasPrefix("ok") }.count >= 15, "\(said)")
    }
}
