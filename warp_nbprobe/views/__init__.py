"""Frames to text, HTML, widgets and pictures. Views format; they compute no figure."""
