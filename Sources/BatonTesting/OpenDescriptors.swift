// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How many descriptors this process has open; `nil` without /proc.
public func openDescriptorCount() -> Int? {
    guard let directory = opendir("/proc/self/fd") else { return nil }
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    // Less `.`, `..` and the descriptor of the directory itself.
    return count - 3
}
