// SPDX-License-Identifier: Apache-2.0

import Testing

/// What was written for Swift 5 goes on compiling.
@Suite(.timeLimit(.minutes(5))) struct Swift5Tests {
    private static let code = """
        import Baton
        import Foundation
        import UserActivity

        class Screen {
            var stream: InputStream?

            func go(on activity: NSUserActivity) {
                activity.getContinuationStreams { input, output, error in self.stream = input }
            }
        }
        """

    @Test(
        "A class that belongs to no actor keeps its streams, in Swift 5 and in Swift 6, without a warning",
        arguments: ["5", "6"])
    func plainClassKeepsItsStreams(version: String) throws {
        #expect(try Compiler.diagnostics(of: Self.code, swift: version) == "")
        // The compiler has seen it.
        let wrong = Self.code.replacing("self.stream = input", with: "self.stream = output")
        #expect(try Compiler.diagnostics(of: wrong, swift: version).contains("cannot assign value"))
    }
}
