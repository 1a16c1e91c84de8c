// SPDX-License-Identifier: GPL-3.0-or-later

internal import Diagnosis

/// Finds the shortcomings of a bluetoothd from its version and its setup. Unknown facts lead to no
/// finding.
struct BluetoothdFindings {
    /// The version, or `nil` if it is unknown.
    var version: BluetoothdVersion?
    var setup = BluetoothdSetup()
    /// Whether every adapter in use offers monitors that find Baton's advertisements.
    var monitors = true

    var all: [Finding] { [old, plain, slow, enhanced].compactMap { $0 } }

    private var old: Finding? {
        guard let version, version < .oldest else { return nil }
        return Finding(.bluetoothdOld, ["version": "\(version)", "oldest": "\(BluetoothdVersion.oldest)"])
    }

    private var plain: Finding? {
        guard !monitors else { return nil }
        if let version, !version.findsManufacturerData {
            return Finding(.bluetoothPlain, ["outdated": "\(version)"])
        }
        return Finding(.bluetoothPlain, command: setup.dropIn)
    }

    private var slow: Finding? {
        guard let version, let options = setup.options, version < .heedsInterval, !options.isExperimental,
            !options.setsInterval
        else { return nil }
        return Finding(.advertisingSlow, ["version": "\(version)"], command: setup.dropIn)
    }

    /// The finding that bluetoothd opens several ATT channels.
    ///
    /// The kernel's setting `enable_ecred` does not matter, because without enhanced credit-based
    /// channels bluetoothd opens plain ones. Source: BlueZ, `btd_gatt_client_eatt_connect()` in
    /// `src/gatt-client.c`.
    private var enhanced: Finding? {
        guard let options = setup.options,
            let channels = options.channels ?? version.map({ $0 < .oneChannel ? 3 : 1 }), channels > 1
        else { return nil }
        return Finding(.eattOn, command: setup.dropIn)
    }
}
