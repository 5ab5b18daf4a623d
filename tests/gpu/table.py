"""The table of what was measured: a row is what, the figure, the limit, and whether it holds."""


class Table:
    """Rows, in their order. One that needs a device is left out on a host, and says why."""

    def __init__(self, device):
        self.on_device = device == "cuda"
        self.rows, self.left_out, self.wrong = [], [], 0

    def must(self, what, measured, limit, holds, device_only=""):
        """Adds a row of what must be right. `device_only` says why a host cannot show it."""
        if device_only and not self.on_device:
            self.leave_out(what, device_only)
            return
        self.wrong += not holds
        self.rows.append((what, measured, limit, "yes" if holds else "NO"))

    def goal(self, what, measured, limit, holds):
        """Adds a row of a cost: its goal is said, and decides nothing."""
        mark = "yes" if holds else "no, a goal" if holds is not None else ""
        self.rows.append((what, measured, limit, mark if self.on_device else "of a host"))

    def leave_out(self, what, why):
        """Says that a row is not there."""
        self.left_out.append(f"left out: {what}: {why}")

    def text(self):
        """Returns the table as lines."""
        rows = [("what", "measured", "limit", "holds"), *self.rows]
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
        return "\n".join([*lines, *self.left_out])
