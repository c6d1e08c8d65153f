"""What is to be measured: options, cells, and the checks of both."""
