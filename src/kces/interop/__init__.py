"""Doors of the library: other libraries' graphs and files, in and out."""
