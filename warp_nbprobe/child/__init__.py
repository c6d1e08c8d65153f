"""What runs in the child: the text of these files is sent or started, never imported by the host."""
