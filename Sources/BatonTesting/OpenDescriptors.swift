// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Returns the number of descriptors that this process has open, or `nil` without /proc.
public func openDescriptorCount() -> Int? {
    guard let directory = opendir("/proc/self/fd") else { return nil }
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    // Do not count `.`, `..` and the descriptor of the directory itself.
    return count - 3
}
