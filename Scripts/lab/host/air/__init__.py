# SPDX-License-Identifier: Apache-2.0
"""Simulates controllers and the air between them with a real link layer. Packets take time, may be lost, and need a free radio.

The terms come from the Bluetooth Core Specification 5.4. "Vol 6 Part B 4.4.2" in a comment names its volume, part and section.
Times are whole microseconds; signals are dBm, attenuations dB.

    events         the queue of events
    pdu            packets, and their time on air
    surroundings   attenuation and loss between two radios
    script         changes of attenuation and loss
    medium         channels on which packets collide
    radio          a controller's one radio
    advertising    advertising sets
    scanning       scan windows, and active scanning
    initiating     CONNECT_IND
    link           connection events
    connection     a connection of HCI, and procedures of two link layers
    hci            HCI packets
    controller     a controller; `*_commands` have the commands of HCI
    realtime       the queue of events on the real clock
    room           the program: controllers on sockets
    process        that program beside the machines of a scenario
"""
