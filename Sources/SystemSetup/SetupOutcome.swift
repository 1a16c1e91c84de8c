// SPDX-License-Identifier: Apache-2.0

/// The result of a ``SetupStep``. The raw value is the exit status of its program, or of pkexec.
public enum SetupOutcome: Int32, CaseIterable, Hashable, Sendable {
    /// The change is made, or was there already.
    case done = 0
    /// The change could not be made for another reason.
    case failed = 1
    /// bluetoothd is not installed.
    case noBluetooth = 10
    /// Somebody has changed bluetoothd's unit.
    case unitChanged = 11
    /// Somebody has changed bluetoothd's configuration.
    case configurationChanged = 12
    /// A file or link that is not Baton's is in the place of the drop-in.
    case otherFile = 13
    /// No firewall that Baton knows is on.
    case noFirewall = 14
    /// The firewall's own program has failed.
    case firewallFailed = 15
    /// The user closed the question for the password. Source: pkexec(1).
    case dismissed = 126
    /// The user may not make the change, or has given no right password. Source: pkexec(1).
    case forbidden = 127
    /// No polkit agent is running that could ask for a password. No exit status means only this.
    case noAgent = 256

    /// Returns the result for an exit status.
    public init(status: Int32) {
        self = status == Self.noAgent.rawValue ? .failed : SetupOutcome(rawValue: status) ?? .failed
    }

    /// Returns the result for pkexec's exit status and its standard error.
    ///
    /// pkexec(1) has the status 127 for a refusal, an error, and a missing agent. Only pkexec's
    /// message tells them apart. pkexec does not translate it.
    public init(status: Int32, message: some StringProtocol) {
        let outcome = SetupOutcome(status: status)
        self = outcome == .forbidden && message.contains("No authentication agent found") ? .noAgent : outcome
    }
}
