// SPDX-License-Identifier: Apache-2.0

/// One fact about an event, before it is adapted to the reader of the trace.
public enum TraceField: Hashable, Sendable {
    /// Another device's id and name.
    case device(_ id: String, name: String)
    /// The address at which a device is reached.
    case address(String)
    /// An activity's type.
    case type(String?)
    /// An activity's title.
    case title(String?)
    /// An offer's id, which is derived from its device's id and its type.
    case offer(String)
    /// Another fact under a name.
    ///
    /// The fact must never identify a person, a device, a place or the user's content.
    case plain(String, String)

    /// The reason for a failure: a word that stays the same in later versions, and details.
    ///
    /// The details may contain addresses.
    case failure(_ code: String, detail: String)
}

/// Kinds of facts that a trace contains only if its user wants them.
public enum TraceDetail: String, CaseIterable, Hashable, Sendable {
    case names
    case addresses
    case types
    case titles
}
