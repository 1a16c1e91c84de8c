# SPDX-License-Identifier: Apache-2.0
"""An app that answers each call of org.batonproject.Application1 twice, the second time with the opposite: `replies_twice.py ID ANSWER...`.

Each ANSWER, `true` or `false`, is the first reply to one call of Continue, in this order. WillContinue gets true, then false.
"""

import sys

from gi.repository import Gio, GLib

APPLICATION = """<node><interface name="org.batonproject.Application1">
  <method name="WillContinue"><arg type="s" direction="in"/><arg type="a{sv}" direction="in"/><arg type="b" direction="out"/></method>
  <method name="Continue"><arg type="s" direction="in"/><arg type="a{sv}" direction="in"/><arg type="b" direction="out"/></method>
  <method name="DidFail"><arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/></method>
</interface></node>"""


def main(identifier: str, answers: list):
    def called(bus, sender, path, interface, method, arguments, invocation):
        print(method, flush=True)
        if method == "DidFail":
            return invocation.return_value(None)
        answer = method == "WillContinue" or answers.pop(0) == "true"
        for value in (answer, not answer):
            reply = Gio.DBusMessage.new_method_reply(invocation.get_message())
            reply.set_body(GLib.Variant("(b)", (value,)))
            bus.send_message(reply, Gio.DBusSendMessageFlags.NONE)

    bus = Gio.bus_get_sync(Gio.BusType.SESSION, None)
    bus.register_object("/" + identifier.replace(".", "/"), Gio.DBusNodeInfo.new_for_xml(APPLICATION).interfaces[0], called)
    Gio.bus_own_name_on_connection(bus, identifier, Gio.BusNameOwnerFlags.NONE, lambda *_: print("ready", flush=True), None)
    GLib.MainLoop().run()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
