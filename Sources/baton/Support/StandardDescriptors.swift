// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Standard input, output and error of this process.
enum StandardDescriptors {
    /// Opens /dev/null for standard streams that are closed, as by `>&-`. Otherwise the next opened
    /// file would get the number and receive the output.
    ///
    /// Each is opened for the wrong direction, so that using it fails.
    static func reserve() {
        for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
            _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
