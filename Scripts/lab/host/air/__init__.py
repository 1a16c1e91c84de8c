# SPDX-License-Identifier: Apache-2.0
"""Controllers and the air between them, with a true link layer: what is sent takes time, may be lost, and needs a radio that is free.

The terms are those of the Bluetooth Core Specification 5.4. "Vol 6 Part B 4.4.2" in a comment names its volume, part and section.
Times are whole microseconds; signals are dBm, attenuations dB.

    events         what happens next
    pdu            packets and how long they take
    surroundings   attenuation and loss between two radios
    script         how attenuation and loss change
    medium         channels, on which packets collide
    radio          who has a controller's one radio
    advertising    advertising sets
    scanning       scan windows, and active scanning
    initiating     CONNECT_IND
    link           connection events
    procedures     what two link layers agree on
"""
