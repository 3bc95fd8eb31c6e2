"""kces: find and remove the edges of a graph that harm a graph neural network, before any training."""
