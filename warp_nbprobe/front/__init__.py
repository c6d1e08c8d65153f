"""What the magics need around a measurement: the session, the screen, help and completion."""
