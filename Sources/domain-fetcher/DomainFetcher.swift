// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains
import Glibc

/// `domain-fetcher`: asks one domain which apps may continue its pages, and ends. The daemon, or
/// systemd for it, starts one for each question: a line of JSON on standard input, the answer on
/// standard output (Documentation/AssociatedDomains.md).
///
/// It is a program of its own so that it can be kept from everything but the network.
@main
struct DomainFetcher {
    /// How long a question may take with all that belongs to it.
    static let limit = Duration.seconds(10)

    static func main() async {
        // A daemon that has gone is the end of this.
        signal(SIGPIPE, SIG_IGN)
        let options: Options
        do throws(Options.Mistake) {
            options = try Options(Array(CommandLine.arguments.dropFirst()))
        } catch {
            fail(error.description)
        }
        guard let request = StandardInput.line(limit: FetchRequest.maximumLength).flatMap(FetchRequest.init(line:))
        else { fail("it wants one request on standard input; batond starts it, 'baton domains check' has it ask") }
        // Looking up a name cannot be interrupted: whoever answers first ends the program.
        Task {
            try? await Task.sleep(for: limit)
            answer(.unreachable(reason: "it did not answer within 10 seconds"))
        }
        answer(await Fetcher(options: options).answer(request))
    }

    private static func answer(_ answer: FetchAnswer) -> Never {
        StandardOutput.end(with: answer.line + [UInt8(ascii: "\n")])
    }

    private static func fail(_ reason: String) -> Never {
        let text = Array("domain-fetcher: \(reason)\n".utf8)
        _ = write(STDERR_FILENO, text, text.count)
        exit(1)
    }
}
