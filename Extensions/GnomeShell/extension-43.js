// SPDX-License-Identifier: GPL-2.0-or-later
// The extension's entry for GNOME 43 and 44. It is installed as extension.js.
/* exported init */

const ExtensionUtils = imports.misc.extensionUtils;
const Main = imports.ui.main;
const PopupMenu = imports.ui.popupMenu;
const QuickSettings = imports.ui.quickSettings;

/** Puts Baton's icon first in the top bar, and its toggle last in Quick Settings. */
function show(indicator) {
    const settings = Main.panel.statusArea.quickSettings;
    settings._indicators.insert_child_at_index(indicator, 0);
    settings._addItems(indicator.quickSettingsItems);
    // From GNOME 44 on, the list of apps in the background stays below all toggles.
    const background = settings._backgroundApps?.quickSettingsItems.at(-1);
    if (background) {
        for (const item of indicator.quickSettingsItems)
            settings.menu._grid.set_child_below_sibling(item, background);
    }
}

class Extension {
    constructor() {
        ExtensionUtils.initTranslations();
        this._directory = ExtensionUtils.getCurrentExtension().dir;
        this._wanted = null;
        this._baton = null;
    }

    enable() {
        const wanted = this._wanted = {};
        // The shared file is a module, which a script can load only like this.
        import(this._directory.get_child('shared.js').get_uri()).then(({Baton}) => {
            // The shell may have disabled the extension meanwhile, and enabled it again.
            if (this._wanted === wanted)
                this._baton = new Baton({Main, PopupMenu, QuickSettings, show});
        }).catch(logError);
    }

    disable() {
        this._wanted = null;
        this._baton?.destroy();
        this._baton = null;
    }
}

function init() {
    return new Extension();
}
