// SPDX-License-Identifier: Apache-2.0

/// What is said of an event, before it is known who reads the trace.
public enum TraceField: Hashable, Sendable {
    /// Another device: its id, and what it is called.
    case device(_ id: String, name: String)
    /// Where it is reached.
    case address(String)
    /// An activity's type.
    case type(String?)
    /// An activity's title.
    case title(String?)
    /// An offer: its id, which is made of its device's and its type's.
    case offer(String)
    /// Anything else, by name: never what names a person, a device, a place or a thing of the
    /// user's.
    case plain(String, String)

    /// Why something failed: a word that stays the same in later versions, and what is behind it.
    /// The latter may have addresses in it.
    case failure(_ code: String, detail: String)
}

/// What a trace says only where its user wants it.
public enum TraceDetail: String, CaseIterable, Hashable, Sendable {
    case names
    case addresses
    case types
    case titles
}
