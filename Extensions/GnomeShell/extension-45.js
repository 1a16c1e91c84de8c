// SPDX-License-Identifier: GPL-2.0-or-later
// The extension's entry for GNOME 45 and later. It is installed as extension.js.

import {Extension} from 'resource:///org/gnome/shell/extensions/extension.js';
import * as Main from 'resource:///org/gnome/shell/ui/main.js';
import * as PopupMenu from 'resource:///org/gnome/shell/ui/popupMenu.js';
import * as QuickSettings from 'resource:///org/gnome/shell/ui/quickSettings.js';

import {Baton} from './shared.js';

export default class BatonExtension extends Extension {
    enable() {
        this._baton = new Baton({
            Main, PopupMenu, QuickSettings,
            show: indicator => Main.panel.statusArea.quickSettings.addExternalIndicator(indicator),
        });
    }

    disable() {
        this._baton?.destroy();
        this._baton = null;
    }
}
