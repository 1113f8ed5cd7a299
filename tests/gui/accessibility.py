# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads windows as a screen reader does: through the accessibility bus (AT-SPI on D-Bus)."""

import time

PATIENCE = 60000  # milliseconds

ACCESSIBLE = "org.a11y.atspi.Accessible"
# AT-SPI's numbers of states.
STATE_FOCUSED, STATE_SELECTED, STATE_SHOWING = 12, 23, 25


class Bus:
    """The accessibility bus."""

    def __init__(self):
        """Waits for the launcher of the bus, and says that the bus is in use."""
        from gi.repository import Gio, GLib
        self.gio = Gio
        self.variant = GLib.Variant
        self.error = GLib.Error
        self.connection = Gio.bus_get_sync(Gio.BusType.SESSION)
        launcher = ("org.a11y.Bus", "/org/a11y/bus")
        while not self.call(("org.freedesktop.DBus", "/org/freedesktop/DBus"),
                            "org.freedesktop.DBus", "NameHasOwner",
                            self.variant("(s)", launcher[:1])):
            time.sleep(0.1)
        self.call(launcher, "org.freedesktop.DBus.Properties", "Set",
                  self.variant("(ssv)", ("org.a11y.Status", "IsEnabled", self.variant("b", True))))
        self.address = self.call(launcher, "org.a11y.Bus", "GetAddress")

    def connect(self):
        flags = self.gio.DBusConnectionFlags
        self.connection = self.gio.DBusConnection.new_for_address_sync(
            self.address, flags.AUTHENTICATION_CLIENT | flags.MESSAGE_BUS_CONNECTION, None, None)

    def call(self, place, interface, method, arguments=None, otherwise=None):
        """Calls a method at a place, (program, object); returns the first thing that it returns.
        An object that has gone answers as told by otherwise."""
        try:
            answer = self.connection.call_sync(
                place[0], place[1], interface, method, arguments, None, self.gio.DBusCallFlags.NONE,
                PATIENCE).unpack()
        except self.error:
            if otherwise is None:
                raise
            return otherwise
        return answer[0] if answer else None

    def applications(self):
        root = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
        return [Node(self, place) for place in
                self.call(root, ACCESSIBLE, "GetChildren", otherwise=[])]


class Node:
    """An element of a window. Elements come and go while one looks: what is gone has no name and no
    children."""

    def __init__(self, bus, place):
        self.bus = bus
        self.place = place

    def _ask(self, method, otherwise, interface=ACCESSIBLE, arguments=None):
        return self.bus.call(self.place, interface, method, arguments, otherwise)

    def _property(self, name):
        return self._ask("Get", "", "org.freedesktop.DBus.Properties",
                         self.bus.variant("(ss)", (ACCESSIBLE, name)))

    @property
    def name(self):
        return self._property("Name")

    @property
    def role(self):
        return self._ask("GetRoleName", "")

    @property
    def tooltip(self):
        """The description, which Qt takes from the tooltip where nothing else is given."""
        return self._property("Description")

    def children(self):
        return [Node(self.bus, place) for place in self._ask("GetChildren", [])]

    def child(self, index):
        return Node(self.bus, self._ask("GetChildAtIndex", ("", "/"), ACCESSIBLE,
                                        self.bus.variant("(i)", (index,))))

    def walk(self):
        """This element and all below it, but for the inside of what may be very long."""
        yield self
        if self.role not in ("menu bar", "tree", "list"):
            for child in self.children():
                yield from child.walk()

    def find(self, role, name="", showing=True):
        """The first element of a role, with a name that starts as given."""
        for node in self.walk():
            if node.role == role and node.name.startswith(name) and (not showing or node.shown()):
                return node
        return None

    def row(self, name):
        """The row or cell of a tree or list that starts as given."""
        return next((node for node in self.children() if node.name.startswith(name)), None)

    def starts_with(self, name):
        """If that is a tree's first row, maybe below a heading; cheap where there are 12,000 rows."""
        return name in (self.child(0).name, self.child(1).name)

    def rows(self):
        """The names of the rows and cells of a tree or list."""
        return [node.name for node in self.children()
                if node.role in ("table cell", "tree item", "list item")]

    def has_state(self, state):
        words = self._ask("GetState", [0])
        return bool(words[state // 32] >> state % 32 & 1)

    def shown(self):
        return self.has_state(STATE_SHOWING)

    def _extents(self):
        return self._ask("GetExtents", (0, 0, 0, 0), "org.a11y.atspi.Component",
                         self.bus.variant("(u)", (0,)))

    def middle(self, within=None):
        """The middle of the element, or of its part within another: a tree's row may be wider than
        what is seen of the tree."""
        x, y, width, height = self._extents()
        if within:
            left, _, seen, _ = within._extents()
            right = min(x + width, left + seen)
            x = max(x, left)
            width = right - x
        return (x + width // 2, y + height // 2)
