"""The laboratory: data sets, attacks, defenses and experiments of the paper. Needs ``kces[lab]``."""
