# SPDX-License-Identifier: Apache-2.0
# `make demo` shows Baton at work. `make test` runs the same tests as CI, `make test-all` every test. See CONTRIBUTING.md.

SWIFT ?= swift
export SWIFT
# An import that Package.swift does not allow fails the build.
BUILD_FLAGS := --explicit-target-dependency-import-check error
# Swift's runtime is linked statically, so that packed, demonstrated and lab programs need no toolchain. Nothing loads a program's own symbols, so
# they are not exported. Relocations are packed (DT_RELR, since glibc 2.36), which the toolchain's own linker supports. They are read-only after the
# start.
RELEASE_FLAGS := -c release --static-swift-stdlib -Xswiftc -use-ld=lld -Xlinker --no-export-dynamic \
	-Xlinker -z -Xlinker pack-relative-relocs -Xlinker -z -Xlinker now
# One debug build serves the demo and all tests except the lab. The C code of dependencies, which is two copies of BoringSSL, is optimised.
DEBUG_FLAGS := $(BUILD_FLAGS) -Xcc -O2
DEBUG_BIN := .build/debug
RELEASE_BIN := .build/release

# Files that are formatted, and whose format is checked.
SWIFT_SOURCES := Package.swift Sources Tests Examples Benchmarks/Package.swift Benchmarks/Sources Fuzzing/Package.swift Fuzzing/Sources

# Pages that are wrapped, and whose width is checked.
PAGES := README.md CONTRIBUTING.md CHANGELOG.md Documentation Examples Libraries Tests/Vectors/README.md

# The directory for `make install`. DESTDIR goes before all paths.
PREFIX ?= /usr/local
export DESTDIR PREFIX

LINT_PACKAGES := appstream gettext polkitd python3 ruby-mdl
BUILD_PACKAGES := appstream gettext libadwaita-1-dev libbluetooth-dev libdbus-1-dev libqrencode-dev pkg-config polkitd python3 zlib1g-dev
RUN_PACKAGES := dbus python3
DEB_PACKAGES := debhelper dpkg-dev lintian po-debconf python3-gi
SYSTEMD_PACKAGES := dbus-user-session libpam-systemd passwd systemd
LAB_PACKAGES := bluez bluez-test-tools busybox-static cpio dropbear-bin kmod openssh-client python3-gi qemu-system-x86
TEST_PACKAGES := adwaita-icon-theme appstream bubblewrap debhelper desktop-file-utils dunst fish gcc gettext gir1.2-gtk-3.0 gjs iproute2 jq libglib2.0-bin \
	libglib2.0-dev libnet-dbus-perl man-db pkexec po-debconf polkitd python3-cryptography python3-gi python3-openssl systemd ufw xdotool xvfb zbar-tools zsh
BROWSERS_PACKAGES := appstream bubblewrap chromium dunst firefox-esr gettext gir1.2-gtk-3.0 libglib2.0-bin openbox openssl python3-gi xdg-utils xdotool xvfb
PICTURES_PACKAGES := adwaita-icon-theme imagemagick openbox xfce4-panel
FOREIGN_PACKAGES := python3-venv
WINDOW_PACKAGES := adwaita-icon-theme at-spi2-core dbus gir1.2-atspi-2.0 gir1.2-gstreamer-1.0 gstreamer1.0-plugins-base gstreamer1.0-plugins-good \
	imagemagick libglib2.0-bin libqrencode4 openbox pkexec polkitd procps python3-gi python3-zbar xdotool xvfb zbar-tools
GNOME_PACKAGES := adwaita-icon-theme dbus gjs gnome-shell libglib2.0-dev python3-gi
DEBIAN_PACKAGES := debian-archive-keyring
BLUEZ_PACKAGES := autoconf automake gcc git libdbus-1-dev libell-dev libglib2.0-dev libtool make pkg-config
LIBRARY_PACKAGES := gcc gi-docgen gobject-introspection libgirepository1.0-dev libglib2.0-dev meson ninja-build pkg-config valac
GOBJECT_PACKAGES := gjs lua-lgi lua5.3 python3-gi valgrind
ADAPTERS_PACKAGES := appstream at-spi2-core bubblewrap celluloid dbus dragonplayer dunst emacs-nox evince fish gedit gettext git gnome-terminal gnome-text-editor gvfs gvfs-daemons kate konsole \
	kwin-wayland kwrite libglib2.0-bin libreoffice-calc libreoffice-draw libreoffice-gtk3 libreoffice-impress \
	libreoffice-script-provider-python libreoffice-writer mpv mpv-mpris neovim okular openbox phoc python3-gi python3-uno python3-xlib \
	qtwayland5 rhythmbox rhythmbox-plugins sway thunderbird tmux totem totem-plugins uidmap vim-nox vlc xdg-dbus-proxy xdotool xfce4-terminal xterm xvfb zathura \
	zathura-pdf-poppler zsh
# The packages of `make test` and `make test-all` are installed together.
EVERY_PACKAGES = $(sort $(LINT_PACKAGES) $(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES) $(LIBRARY_PACKAGES) $(GOBJECT_PACKAGES) $(BROWSERS_PACKAGES) \
	$(ADAPTERS_PACKAGES) $(LAB_PACKAGES) $(WINDOW_PACKAGES))
ALL_PACKAGES = $(sort $(EVERY_PACKAGES) $(DEB_PACKAGES) $(SYSTEMD_PACKAGES) $(FOREIGN_PACKAGES) $(GNOME_PACKAGES))
BENCH_PACKAGES := avahi-daemon gcc kdeconnect libadwaita-1-dev openbox openssl pkg-config python3-xlib socat xdotool xvfb

# The programs by name. A build without GTK's headers: make BUILD_PACKAGES= PROGRAMS="batond baton browser-host domain-fetcher". Without names, everything of every dependency would be built, such as protobuf's compiler.
PROGRAMS := batond baton baton-gtk browser-host domain-fetcher
# builds FLAGS PRODUCTS: builds one after the other, because they share a directory.
define builds
	@for product in $(2); do $(SWIFT) build $(1) --product $$product || exit; done
endef

.PHONY: build
build: build-packages
	$(call builds,$(RELEASE_FLAGS) $(BUILD_FLAGS),$(PROGRAMS))
	@Packaging/make

# All programs that the tests run, and the tests.
.PHONY: debug
debug: build-packages
	$(SWIFT) build --build-tests $(DEBUG_FLAGS)

# The lab's programs are release builds, because a debug build is too slow for an emulated processor: two debug daemons in one machine were not a
# circle after 120 s. One optimised build with assertions for both the lab and the tests would take longer than two builds. Few scenarios need the
# other programs.
LAB_PROGRAMS := batond baton radio-conformance
OTHER_LAB_PROGRAMS := app-program clock-program contacts notes
.PHONY: lab-programs
lab-programs: build-packages
	$(call builds,$(RELEASE_FLAGS) $(BUILD_FLAGS),$(LAB_PROGRAMS))

.PHONY: all-lab-programs
all-lab-programs: build-packages
	$(call builds,$(RELEASE_FLAGS) $(BUILD_FLAGS),$(LAB_PROGRAMS) $(OTHER_LAB_PROGRAMS))

# Installs what `make` has built, and builds nothing, because no compiler must run as root. The parts for browsers, for apps that do not know Baton,
# for GNOME Shell, the window, and its camera are separate: make install-browser, make install-adapters, make install-gnome-shell, make install-gtk,
# make install-camera
.PHONY: install
install:
	@Packaging/install

.PHONY: install-browser
install-browser:
	@FILES=Packaging/files.browser Packaging/install

.PHONY: install-adapters
install-adapters:
	@FILES=Packaging/files.adapters Packaging/install

.PHONY: install-gnome-shell
install-gnome-shell:
	@FILES=Packaging/files.gnome-shell Packaging/install

.PHONY: install-gtk
install-gtk:
	@FILES=Packaging/files.gtk Packaging/install

.PHONY: install-camera
install-camera:
	@FILES=Packaging/files.camera Packaging/install

.PHONY: uninstall
uninstall:
	@Packaging/install --remove

# Packages for this Debian release or a later one:
# .build/deb/{baton,baton-adapters,baton-browser,baton-camera,baton-gtk,gnome-shell-extension-baton,libbaton-1-0,gir1.2-baton-1,libbaton-dev}_VERSION_ARCHITECTURE.deb
.PHONY: deb
deb: build deb-packages library-packages
	@Packaging/deb

# The browser extension for the browsers' stores: .build/extension/baton-VERSION.{xpi,zip} (Documentation/Browser.md)
.PHONY: extension
extension: build-packages
	@MADE=.build/extension/made Packaging/make-extension
	@Packaging/make-archives .build/extension/made/browser .build/extension

.PHONY: demo
demo: build-packages run-packages
	$(call builds,$(DEBUG_FLAGS),batond baton)
	@BATON_BIN=$(DEBUG_BIN) Scripts/demo

# The tests of CI, and all tests. Scripts/tests lists the parts, and each part has a target here.
.PHONY: test
test: every-packages
	@Scripts/tests

.PHONY: test-all
test-all: all-packages
	@Scripts/tests --all

# The tests in Swift. CONTRIBUTING.md says how to run one of them.
.PHONY: unit
unit: build-packages run-packages test-packages debug library
	@Scripts/tests unit

# Tests from outside: examples, pages, installed files, and another device in Python.
.PHONY: examples
examples: build-packages run-packages test-packages debug library
	@Scripts/tests examples vectors

# Builds libbaton, for programs in C and all languages with GObject introspection, below .build/gobject
.PHONY: library
library: library-packages
	@Libraries/GObject/build

# Tests libbaton from C, Python, GJS, Lua and Vala, with valgrind, sanitizers and real daemons; takes a minute (Libraries/GObject)
.PHONY: gobject
gobject: build-packages run-packages gobject-packages debug library
	@Scripts/tests gobject

# Builds code in the shapes of public apps in Swift 5 mode, and with the main actor as the default isolation. Swift 6 mode is in `make unit`
.PHONY: app-shapes
app-shapes: build-packages
	@Scripts/tests app-shapes

# Takes new screenshots for the pages. Look at them afterwards (Scripts/pictures)
.PHONY: pictures
pictures: build-packages run-packages test-packages adapters-packages pictures-packages library
	$(call builds,$(DEBUG_FLAGS),batond baton)
	Scripts/pictures
	Tests/Adapters/pictures

# Hands pages over between real browsers; takes four minutes (Documentation/Browser.md)
.PHONY: browsers
browsers: build-packages run-packages browsers-packages debug
	@Scripts/tests browsers

# Hands over between real media players and document viewers (Documentation/Adapters.md)
.PHONY: adapters
adapters: build-packages run-packages adapters-packages debug library
	@Scripts/tests adapters

# Tests the window below Xvfb, through the accessibility bus, with real daemons (Documentation/Window.md).
.PHONY: window
window: build-packages run-packages window-packages debug
	@Scripts/tests window

# Tests the extension in a real GNOME Shell without a screen, with real daemons (Documentation/Panel.md).
.PHONY: gnome-shell
gnome-shell: build-packages run-packages gnome-packages debug
	@Scripts/tests --all gnome-shell

# Runs the unit tests on a machine that stalls at random moments for at most the given number of milliseconds, so that tests which depend on time fail. With
# STALLED=--threads single threads stall, so that tests which depend on their order fail.
LONGEST ?= 1000
STALLED ?=
.PHONY: unit-stalled
unit-stalled: build-packages run-packages test-packages debug
	@Scripts/unit-tests-stalled --longest $(LONGEST) $(STALLED)

# Checks that each test of Documentation/Reliability.md fails without its cure. This takes half an hour and is not part of the tests.
# Tests/Mutants/run SUITE.FUNCTION tries one
.PHONY: mutants
mutants: build-packages run-packages test-packages library
	Tests/Mutants/run

# Fuzzes each decoder of foreign bytes for the given number of seconds: make fuzz SECONDS=600 (Documentation/Fuzzing.md)
SECONDS ?= 60
.PHONY: fuzz
fuzz: build-packages
	@Fuzzing/run --seconds $(SECONDS)

# Uses three laptops for the given number of minutes. The resources of their daemons must not grow (Documentation/Soak.md). The plots are in .build/soak
MINUTES ?= 60
SEED ?= 1
.PHONY: soak
soak: run-packages debug
	BATON_BIN=$(DEBUG_BIN) Tests/Soak/soak --minutes $(MINUTES) --seed $(SEED)

.PHONY: lint
lint: lint-packages
	$(SWIFT) format lint --strict --recursive $(SWIFT_SOURCES)
	@find $(SWIFT_SOURCES) -type f -name "*.swift" ! -name "*.pb.swift" -exec Scripts/columns {} +
	@find $(PAGES) -type f -name "*.md" -exec Scripts/columns {} +
	@mdl $(PAGES)
	@Scripts/catalogues check

.PHONY: format
format:
	$(SWIFT) format --in-place --recursive $(SWIFT_SOURCES)
	@find $(SWIFT_SOURCES) -type f -name "*.swift" ! -name "*.pb.swift" -exec Scripts/columns --wrap {} +
	@find $(PAGES) -type f -name "*.md" -exec Scripts/columns --wrap {} +

.PHONY: lab
lab: run-packages lab-packages all-lab-programs
	@Scripts/tests lab

# Runs the lab on a simulated air that takes time: losses, distance, crowds, three laptops
.PHONY: air
air: run-packages lab-packages lab-programs
	@Scripts/tests air bad-air

# Runs suites, hand-overs and measurements on two real adapters, and writes a report: make hil ADAPTERS=hci0,hci1 (Documentation/Hardware.md). It is
# not part of the tests, which run the same on emulated adapters. PEER is another machine with the second adapter. OWN_BLUETOOTHD=1 also runs
# bluetoothd with other options, as root. Nothing is built as root. HIL has further options for Scripts/hil/run.
ADAPTERS ?=
PEER ?=
OWN_BLUETOOTHD ?=
HIL ?=
SUDO = $(if $(filter-out 0,$(shell id -u)),sudo)
.PHONY: hil
hil: lab-programs run-packages
	@$(if $(OWN_BLUETOOTHD),$(SUDO) )env BATON_BIN=$(RELEASE_BIN) Scripts/hil/run --adapters "$(ADAPTERS)" \
		$(if $(PEER),--peer "$(PEER)") $(if $(OWN_BLUETOOTHD),--own-bluetoothd) $(HIL)

# A device of another make, on Bumble's Bluetooth stack, hands over with Baton, and a hostile one attacks it. Bumble comes from PyPI, everything else
# from Debian.
.PHONY: lab-foreign
lab-foreign: run-packages lab-packages bumble lab-programs
	@Scripts/tests lab-foreign

.PHONY: bumble
bumble: foreign-packages
	@test -x .build/lab/bumble/bin/python || /usr/bin/python3 -m venv .build/lab/bumble
	@.build/lab/bumble/bin/pip install --quiet --requirement Tests/ForeignPeer/requirements.txt

# Tests batond with a real systemd user manager: scopes, transient units. Needs root and control groups.
.PHONY: user-manager
user-manager: build-packages run-packages test-packages
	$(call builds,$(DEBUG_FLAGS),batond baton app-program domain-fetcher)
	@Scripts/tests user-manager

# Hand-overs with the bluetoothd and the kernel of another Debian release: make lab-debian RELEASE=trixie. KERNEL= keeps the host's kernel. The
# packages come from Debian's mirror. It is not part of the tests (Documentation/Lab.md).
RELEASE ?= trixie
KERNEL ?= $(RELEASE)
OTHER_BLUETOOTHD_SCENARIOS := one-laptop-conformance one-laptop-channels-1 one-laptop-not-experimental one-laptop-epoch one-laptop-failures \
	one-laptop-recovery two-laptops-as-shipped
.PHONY: lab-debian
lab-debian: SCENARIOS = $(OTHER_BLUETOOTHD_SCENARIOS)
lab-debian: run-packages lab-packages debian-packages all-lab-programs
	BATON_BIN=$(RELEASE_BIN) Scripts/lab/run --bluetoothd=$(RELEASE) --kernel=$(KERNEL) $(SCENARIOS)

# The same with the bluetoothd of a BlueZ version on the lab's kernel: make lab-bluez VERSION=5.72. It is built from BlueZ's repository, or from the
# copy that BATON_LAB_BLUEZ names, in half a minute. It is not part of the tests.
VERSION ?= 5.82
.PHONY: lab-bluez
lab-bluez: SCENARIOS = $(OTHER_BLUETOOTHD_SCENARIOS)
lab-bluez: run-packages lab-packages bluez-packages all-lab-programs
	BATON_BIN=$(RELEASE_BIN) Scripts/lab/run --bluetoothd=$(VERSION) $(SCENARIOS)

# Installs the Debian package on two laptops with systemd
.PHONY: lab-package
lab-package: deb run-packages lab-packages systemd-packages all-lab-programs
	@Scripts/tests lab-package

# Measures how reliable hand-overs of the two laptops are, with bluetoothd as shipped: make lab-repeat N=10
N ?= 10
SCENARIOS ?= two-laptops-channels-3
.PHONY: lab-repeat
lab-repeat: run-packages lab-packages all-lab-programs
	BATON_BIN=$(RELEASE_BIN) Scripts/lab/repeat $(N) $(SCENARIOS)

.PHONY: bench
bench: build run-packages lab-packages bench-packages
	BATON_BIN=$(RELEASE_BIN) Benchmarks/run

.PHONY: clean
clean:
	$(SWIFT) package clean

%-packages:
	@Scripts/install-packages $($(shell echo $* | tr a-z A-Z)_PACKAGES)
