// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Asks GIO about generated desktops.
///
/// One process serves all desktops. The process forks for each desktop, because GLib caches the
/// files that a process has read.
enum Gio {
    /// GIO's answer about an entry.
    struct App: Decodable {
        /// The name and the icon, or nil if there are none.
        var name: String?
        var icon: String?
        /// Whether there is a way to start the app.
        var canBeStarted: Bool
        var isTerminal: Bool
        /// The words that started the app, or nil if it was not started.
        var words: [String]?
    }

    /// GIO's answer about a type.
    struct Kind: Decodable {
        /// The id of the default app with its extension, even if Baton does not accept it.
        var usual: String?
        /// Whether the default app is not deleted, and can be started.
        var isUsualAnApp: Bool
        /// The ids of the recommended apps that Baton accepts.
        var recommended: [String]
    }

    /// GIO's answer about a desktop.
    struct Answer: Decodable {
        var apps: [String: App?]
        var types: [String: Kind]
    }

    /// Asks about some desktops.
    ///
    /// - Parameter root: The directory with each desktop's directory, by number.
    static func answers(about worlds: [DesktopWorld], in root: URL) throws -> [Answer] {
        let questions = worlds.indices.map { number in
            Question(
                environment: worlds[number].environment(in: root.appending(path: "\(number)")),
                apps: DesktopWorld.identifiers, types: DesktopWorld.types)
        }
        try JSONEncoder().encode(questions).write(to: root.appending(path: "questions"))
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", program, root.path]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
        return try worlds.indices.map { number in
            try JSONDecoder().decode(Answer.self, from: Data(contentsOf: root.appending(path: "\(number).json")))
        }
    }

    private struct Question: Encodable {
        var environment: [String: String]
        var apps: [String]
        var types: [String]
    }

    private static let program = #"""
        import json, os, pathlib, sys
        import gi
        from gi.repository import Gio, GLib
        try:
            gi.require_version("GioUnix", "2.0")
            from gi.repository.GioUnix import DesktopAppInfo
        except (ImportError, ValueError):  # GLib before 2.80
            from gi.repository.Gio import DesktopAppInfo

        root = pathlib.Path(sys.argv[1])

        def entry(identifier):
            try:
                return DesktopAppInfo.new(identifier + ".desktop")
            except TypeError:
                return None

        def can_be_started(app):
            name = pathlib.Path(app.get_filename()).stem
            return bool(app.get_commandline()) or app.get_boolean("DBusActivatable") and Gio.dbus_is_name(name)

        def is_app(app):
            return not app.get_is_hidden() and can_be_started(app)

        def icon(app):
            found = app.get_icon()
            if isinstance(found, Gio.FileIcon):
                return found.get_file().get_path()
            return found.get_names()[0] if found else None

        def words(app, report):
            line = app.get_commandline() or ""
            if not line.startswith("args ") or app.get_boolean("Terminal") or app.get_string("Path"):
                return None
            def started(app, pid, data):
                os.waitpid(pid, 0)
            try:
                app.launch_uris_as_manager([], None, GLib.SpawnFlags.DO_NOT_REAP_CHILD, None, None, started, None)
            except GLib.Error:
                return None
            found = report.read_bytes().split(b"\0")[:-1]
            report.unlink()
            try:
                return ["args"] + [word.decode() for word in found]
            except UnicodeDecodeError:  # GIO takes one byte after a "%", of a letter that has several
                return None

        def said(identifier, report):
            app = entry(identifier)
            return app and {
                "name": app.get_locale_string("Name"), "icon": icon(app), "canBeStarted": can_be_started(app),
                "isTerminal": app.get_boolean("Terminal"), "words": words(app, report)}

        def kind(type):
            usual = Gio.AppInfo.get_default_for_type(type, False)
            return {"usual": usual and usual.get_id(), "isUsualAnApp": usual is not None and is_app(usual),
                    "recommended": [app.get_id() for app in Gio.AppInfo.get_recommended_for_type(type) if is_app(app)]}

        def answer(number, question):
            report = root / f"{number}.words"
            os.environ.update(question["environment"], BATON_ARGUMENTS=str(report))
            os.chdir("/")
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # GLib's warnings of what is not permitted in a list
            found = {"apps": {each: said(each, report) for each in question["apps"]},
                     "types": {each: kind(each) for each in question["types"]}}
            (root / f"{number}.json").write_text(json.dumps(found))

        for number, question in enumerate(json.loads((root / "questions").read_bytes())):
            child = os.fork()
            if not child:
                status = 1
                try:
                    answer(number, question)
                    status = 0
                except BaseException as error:
                    print(repr(error), file=sys.stdout, flush=True)
                finally:
                    os._exit(status)
            if os.waitpid(child, 0)[1]:
                sys.exit(f"world {number}")
        """#
}
