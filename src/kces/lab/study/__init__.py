"""The study behind the ``robust`` preset: score variants, the graphs they were tuned on, and the one look.

``python -m kces.lab.study tune`` prints the tuning table, ``python -m kces.lab.study look`` the frozen recipe on
graphs that played no part in choosing it.
"""
