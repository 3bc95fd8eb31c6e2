"""The study behind the ``robust`` preset: score variants, the graphs they were tuned on, and the one look.

``kces lab study tune`` prints the tuning table, ``kces lab study look`` the frozen recipe on graphs that played no
part in choosing it.
"""
