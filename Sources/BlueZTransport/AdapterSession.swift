// SPDX-License-Identifier: GPL-3.0-or-later

/// The advertiser and the scanner of one adapter.
struct AdapterSession: Sendable {
    let advertiser: Advertiser
    let scanner: Scanner

    /// Stops advertising and scanning.
    func stop() async {
        await advertiser.stop()
        await scanner.stop()
    }
}
