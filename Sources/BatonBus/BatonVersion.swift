// SPDX-License-Identifier: Apache-2.0

/// The version of the daemon, the command-line tool and the packages.
public enum BatonVersion {
    /// The version, in the form of Semantic Versioning.
    public static let current = "0.2.0"
}
