// SPDX-License-Identifier: Apache-2.0

/// The share of the time during which a radio listens for advertisements.
///
/// Listening uses nearly all of the energy that Baton takes from the battery
/// (Documentation/Energy.md). The radio does not report a peer as lost merely because the radio
/// itself did not listen.
public enum Listening: Hashable, Sendable {
    /// The radio never listens.
    case never
    /// The radio listens for a third of the usual time, because the user is not looking at the
    /// offers, or because other devices tell them over links.
    case sometimes
    /// The radio listens often enough to notice other devices' offers within some seconds.
    case usually
    /// The radio listens all of the time, while a program waits for another device.
    case always
}
