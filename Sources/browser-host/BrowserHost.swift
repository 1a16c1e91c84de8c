// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import Glibc
import Wording

/// `browser-host`: connects the browser's extension with the daemon. The browser starts one process
/// for each profile. The process ends when the browser closes its standard input.
@main
struct BrowserHost {
    static func main() async {
        // A write to a browser that has ended must not kill the process, which ends when its input
        // ends.
        signal(SIGPIPE, SIG_IGN)
        SessionLanguage.use()
        guard Caller(arguments: Array(CommandLine.arguments.dropFirst())) != nil else {
            fail("only Baton's browser extension may start it; install baton-browser")
        }
        let browser = BrowserPipe(input: STDIN_FILENO, output: STDOUT_FILENO) { fail($0) }
        do {
            var options = DaemonConnection.Options()
            // Pages belong to no team, even if the browser's desktop entry names one.
            options.publishing.team = ""
            let connection = try await DaemonConnection.open(options: options, warn: log)
            let host = Host(connection: connection, send: browser.send) {
                await browser.flush()
                exit(0)
            }
            await host.serve(browser.messages)
            await connection.close()
        } catch {
            // After this program has ended, the extension starts it again, with growing pauses.
            browser.send(.offers([], reason: BatonError(anyError: error).message))
        }
        await browser.flush()
        exit(0)
    }

    private static func fail(_ reason: String) -> Never {
        log(reason)
        exit(1)
    }

    /// Prints to standard error, which is the browser's console.
    @Sendable private static func log(_ line: String) {
        let text = Array("browser-host: \(line)\n".utf8)
        _ = write(STDERR_FILENO, text, text.count)
    }
}
