// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import Glibc

extension Process {
    /// Starts it with no signal blocked: threads of a pool block most of them, a child inherits that, and would not hear SIGTERM.
    public func runHearingSignals() throws {
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try run()
    }
}
