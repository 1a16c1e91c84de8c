// SPDX-License-Identifier: GPL-3.0-or-later

/// The work on one adapter: its advertisement and its scan.
struct AdapterSession: Sendable {
    let advertiser: Advertiser
    let scanner: Scanner

    /// Falls silent, and stops scanning.
    func stop() async {
        await advertiser.stop()
        await scanner.stop()
    }
}
