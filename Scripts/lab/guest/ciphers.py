# SPDX-License-Identifier: Apache-2.0
"""Has the kernel find the ciphers that btvirt asks for; the first time, it looks for modules."""

import socket

for kind, name in [("hash", "cmac(aes)"), ("skcipher", "ecb(aes)")]:
    with socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET) as algorithm:
        algorithm.bind((kind, name))
