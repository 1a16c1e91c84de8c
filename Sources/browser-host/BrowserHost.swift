// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import Glibc

/// `browser-host`: what stands between the browser's extension and the daemon. The browser starts
/// one for each profile, and it ends when the browser closes its input.
@main
struct BrowserHost {
    static func main() async {
        // A browser that has gone is the end of the input.
        signal(SIGPIPE, SIG_IGN)
        guard Caller(arguments: Array(CommandLine.arguments.dropFirst())) != nil else {
            fail("only Baton's browser extension may start it; install baton-browser")
        }
        let browser = BrowserPipe(input: STDIN_FILENO, output: STDOUT_FILENO) { fail($0) }
        do {
            var options = DaemonConnection.Options()
            // Pages belong to no team, whatever the browser's desktop entry says.
            options.publishing.team = ""
            let connection = try await DaemonConnection.open(options: options, warn: log)
            let host = Host(connection: connection, send: browser.send) {
                await browser.flush()
                exit(0)
            }
            await host.serve(browser.messages)
            await connection.close()
        } catch {
            // The extension starts it again, with growing pauses.
            browser.send(.offers([], reason: "\(error)"))
        }
        await browser.flush()
        exit(0)
    }

    private static func fail(_ reason: String) -> Never {
        log(reason)
        exit(1)
    }

    /// Standard error is the browser's console.
    @Sendable private static func log(_ line: String) {
        let text = Array("browser-host: \(line)\n".utf8)
        _ = write(STDERR_FILENO, text, text.count)
    }
}
