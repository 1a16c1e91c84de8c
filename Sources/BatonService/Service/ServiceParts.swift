// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis
import LocalDatagrams
import LocalNetworks
import Logging
import TraceModel

// The values that the service keeps for itself. All other state belongs to a part
// (Decisions/0054-the-service-has-parts.md).

/// The clock, the transports and the functions that the daemon gives to a service.
struct ServiceEnvironment: Sendable {
    let transports: Transports
    let clock: any DeviceClock
    /// The local networks, now and after each change; nil if this device does not use them.
    let networks: AsyncStream<[LocalNetwork]>?
    /// The datagrams in the local networks; nil if this device does not use them.
    let datagrams: (any DatagramCarrier)?
    /// Returns whether a program still runs.
    let isPresent: @Sendable (ClientID) async -> Bool
    /// Returns why an adapter may not speak for a program with an app's id; nil if it may.
    let whyRefused: @Sendable (_ speaker: ClientID, _ application: String?) async -> Reason?
    let logger: Logger
    /// The recorder of traces.
    let trace: TraceRecorder
}

/// The stage of the service between its start and its end.
struct Lifecycle: Sendable {
    let hasStarted = Waiters<Void>()
    /// Resolved when the local networks have been read, or when the service stops.
    let hasNetworks = Waiters<Void>()
    var isStopping = false
    /// Resolved when no streams and no fetched activities remain; nil unless the service is
    /// draining.
    var drain: Waiters<Void>?
    /// Whether the service accepts nothing new.
    var isDraining: Bool { isStopping || drain != nil }
    /// The tasks that run until the end.
    var tasks: [Task<Void, Never>] = []
    /// The last attempt to listen on the radio, or nil before the first.
    var radioOpening: Task<Void, Never>?
}

/// The listeners and endpoints by which other devices reach this device.
struct Reachability: Sendable {
    var listeners = Listeners()
    /// The endpoints in the last hello of this device.
    var told: [EndpointRecord] = []
    /// The PSM at which the radio accepts channels; 0 if it accepts none.
    var psm: UInt8 = 0
    /// The last status that the radio reported; nil before the first.
    var heardRadioStatus: RadioStatus?
}
