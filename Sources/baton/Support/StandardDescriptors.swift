// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Standard input, output and error of this process.
enum StandardDescriptors {
    /// Opens /dev/null for each standard stream that is closed, as by `>&-`. Otherwise the next
    /// file to be opened would get the stream's number and receive its output.
    ///
    /// The stream is opened for the wrong direction, so that using it fails.
    static func reserve() {
        for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
            _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
