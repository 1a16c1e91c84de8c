// SPDX-License-Identifier: GPL-3.0-or-later

internal import Diagnosis

/// Finds the shortcomings of a bluetoothd from its version and its setup. Unknown facts give no
/// finding.
struct BluetoothdFindings {
    /// The version, or `nil` if it is unknown.
    var version: BluetoothdVersion?
    /// How bluetoothd is set up.
    var setup = BluetoothdSetup()
    /// Whether every adapter in use offers monitors that find Baton's advertisements.
    var monitors = true

    /// All findings.
    var all: [Finding] { [old, plain, slow, enhanced].compactMap { $0 } }

    private var name: String { version.map { "bluetoothd \($0)" } ?? "bluetoothd" }

    private var old: Finding? {
        guard let version, version < .oldest else { return nil }
        return Finding(
            .bluetoothdOld,
            "\(name) is older than \(BluetoothdVersion.oldest), the oldest that Baton is made for: upgrade BlueZ")
    }

    private var plain: Finding? {
        guard !monitors else { return nil }
        if let version, !version.findsManufacturerData {
            return Finding(
                .bluetoothPlain,
                "\(name) has monitors that find no offers, so that scanning does without and costs more, and may keep LE keyboards and "
                    + "mice from coming back: upgrade BlueZ, to 5.71 at least")
        }
        return Finding(
            .bluetoothPlain,
            "\(name) has no monitors of advertisements, so that scanning costs more, and may keep LE keyboards and mice from coming "
                + "back: run it with \"--experimental\", as \(Self.dropIn) does", command: setup.dropIn)
    }

    private var slow: Finding? {
        guard let version, let options = setup.options, version < .heedsInterval, !options.isExperimental,
            !options.setsInterval
        else { return nil }
        return Finding(
            .advertisingSlow,
            "\(name) advertises every 1.28 s, whatever Baton asks for, so that other devices see an offer some seconds later: run it with "
                + "\"--experimental\", as \(Self.dropIn) does", command: setup.dropIn)
    }

    /// The finding that bluetoothd opens several ATT channels.
    ///
    /// The kernel's settings do not matter: without enhanced credit-based channels (`enable_ecred`)
    /// bluetoothd opens plain ones. Source: BlueZ, `btd_gatt_client_eatt_connect()` in
    /// `src/gatt-client.c`.
    private var enhanced: Finding? {
        guard let options = setup.options,
            let channels = options.channels ?? version.map({ $0 < .oneChannel ? 3 : 1 }), channels > 1
        else { return nil }
        let pairs = version.map { $0 >= .encryptedChannels } ?? false
        return Finding(
            .eattOn,
            "\(name) opens \(channels) ATT channels on each link, which get in the way of Baton's, so that connecting can take some "
                + "seconds longer\(pairs ? ", and begins a pairing, without which the link may end" : ""): set \"Channels = 1\" below "
                + "[GATT] in main.conf, as \(Self.dropIn) does",
            command: setup.dropIn)
    }

    private static let dropIn = "the drop-in bluetooth.service.d/baton.conf (Documentation/Service.md)"
}
