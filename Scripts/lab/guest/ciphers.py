# SPDX-License-Identifier: Apache-2.0
"""Makes the kernel load the ciphers that btvirt needs. The first request for one loads its
module."""

import socket

for kind, name in [("hash", "cmac(aes)"), ("skcipher", "ecb(aes)")]:
    with socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET) as algorithm:
        algorithm.bind((kind, name))
