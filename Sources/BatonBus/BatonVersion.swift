// SPDX-License-Identifier: Apache-2.0

/// Baton's version: the daemon's, the tool's and the packages'.
public enum BatonVersion {
    /// The version, as semantic versioning has it.
    public static let current = "0.2.0"
}
