// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/socket.h>
#include <linux/rtnetlink.h>
