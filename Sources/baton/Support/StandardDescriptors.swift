// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Standard input, output and error of this process.
enum StandardDescriptors {
    /// Takes the places of those that are closed, as by `>&-`: the next descriptor that is opened
    /// would get the number, and be written to as the output. What stands there cannot be used in
    /// the direction that is meant, so that using it fails.
    static func reserve() {
        for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
            _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
