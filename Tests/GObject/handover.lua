-- SPDX-License-Identifier: Apache-2.0
-- libbaton in Lua, between the two laptops whose buses are in the environment: prints "well" at the end of all.

local lgi = require("lgi")
local Baton, Gio, GLib = lgi.require("Baton", "1"), lgi.Gio, lgi.GLib

local TYPE = "org.example.lua"
local LETTER = "Dear Ada,"
local loop = GLib.MainLoop()
local status = 1

local function connect(name)
    return assert(Gio.DBusConnection.new_for_address_sync(os.getenv("BATON_TEST_" .. name), {"AUTHENTICATION_CLIENT", "MESSAGE_BUS_CONNECTION"}))
end

-- Waits in a coroutine until a condition holds, after each iteration of the loop in which something happened.
local function eventually(condition)
    while not condition() do GLib.MainContext.default():iteration(true) end
end

local function read_to_end(streams)
    local pieces = {}
    while true do
        local piece, failure = streams:get_input_stream():async_read_bytes(65536)
        if not piece then return nil, failure end
        if piece:get_size() == 0 then return table.concat(pieces) end
        pieces[#pieces + 1] = piece.data
    end
end

local function main()
    local opened = {}
    local activity = Baton.Activity {connection = connect("DESK"), activity_type = TYPE, supports_continuation_streams = true}
    function activity:on_save()
        activity.title = LETTER
        activity.user_info = GLib.Variant("a{sv}", {cursor = GLib.Variant("x", 34), page = Baton.value_new_url("https://example.org/")})
    end
    function activity:on_streams(streams) opened[#opened + 1] = streams end
    activity.needs_save = true
    activity:become_current()
    local offers = Baton.Offers {connection = connect("SOFA"), activity_type = TYPE}

    local function carry_on()
        eventually(function() return offers:get_n_items() > 0 end)
        local continuation = assert(offers:async_continue(offers:get_item(0)))
        continuation:accept()
        local there = assert(continuation:async_open_streams())
        eventually(function() return #opened > 0 end)
        return continuation, there, table.remove(opened)
    end

    -- Values, and whole streams.
    local continuation, there, here = carry_on()
    assert(continuation.title == LETTER)
    assert(continuation.user_info:lookup_value("cursor", nil).value == 34)
    assert(Baton.value_get_url(continuation.user_info:lookup_value("page", nil)) == "https://example.org/")
    assert(Baton.value_get_url(continuation.user_info:lookup_value("cursor", nil)) == nil)
    assert(here:get_output_stream():async_write_all(LETTER))
    assert(here:get_output_stream():async_close())
    assert(read_to_end(there) == LETTER)

    -- Cut ones.
    continuation, there, here = carry_on()
    assert(here:get_output_stream():async_write_all("Dear"))
    here:give_up()
    local _, failure = read_to_end(there)
    assert(failure and failure:matches(Baton.error_quark(), Baton.Error.STREAM_CUT), tostring(failure))

    -- A document.
    activity.document = Gio.File.new_for_path(os.getenv("BATON_TEST_DOCUMENT"))
    assert(activity:async_flush())
    continuation = assert(offers:async_continue(offers:get_item(0)))
    local copy = assert(continuation:async_load_document())
    assert(copy:get_basename() == "letter.txt")
    assert(copy:load_contents(nil) == LETTER)
    continuation:accept()
    status = 0
end

Gio.Async.start(function()
    local well, failure = xpcall(main, debug.traceback)
    print(well and "well" or failure)
    loop:quit()
end)()
loop:run()
os.exit(status)
