// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains
import Diagnosis
import Glibc

/// `domain-fetcher`: asks one domain which apps may continue its pages, and ends.
///
/// The daemon, or systemd on its behalf, starts one process for each question. The process reads
/// the question from standard input and writes the answer to standard output, each as a line of
/// JSON (Documentation/AssociatedDomains.md). This is a separate program so that it can be denied
/// access to everything but the network.
@main
struct DomainFetcher {
    /// The time limit for a question as a whole.
    static let limit = Duration.seconds(10)

    static func main() async {
        // If the daemon has ended, writing the answer fails without a signal, and this program
        // ends.
        signal(SIGPIPE, SIG_IGN)
        let options: Options
        do throws(Options.Mistake) {
            options = try Options(Array(CommandLine.arguments.dropFirst()))
        } catch {
            fail(error.description)
        }
        guard let request = StandardInput.line(limit: FetchRequest.maximumLength).flatMap(FetchRequest.init(line:))
        else { fail("it wants one request on standard input; batond starts it, 'baton domains check' has it ask") }
        // A name lookup cannot be cancelled, so at the time limit this task answers and ends the
        // program.
        Task {
            try? await Task.sleep(for: limit)
            answer(.unreachable(DomainProblem(.domainLate)))
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
