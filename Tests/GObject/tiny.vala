// SPDX-License-Identifier: Apache-2.0
// The smallest app, as the pages have it in other languages.

int main(string[] arguments) {
    var text = arguments.length > 1 ? arguments[1] : "Dear Ada,";
    var app = new Application("org.example.Tiny", (ApplicationFlags) 0);
    var baton = new Baton.Application("org.example.Tiny");
    var activity = new Baton.Activity("org.example.tiny.write");
    baton.continue.connect((continuation) => {
        // What comes from another laptop can be anything.
        if (continuation.user_info.lookup("text", "s", out text)) {
            print("continued from %s: %s\n", continuation.device_name, text);
            continuation.accept();
        }
    });
    activity.save.connect(() => { activity.user_info = new Variant.parsed("{'text': <%s>}", text); });
    app.activate.connect(app.hold);
    try {
        baton.serve(null);
    } catch (Error error) {
        return 1;
    }
    activity.needs_save = true; // at each change
    activity.become_current();
    return app.run({arguments[0]});
}
