"""Speed and fidelity of the engines, as ratios measured side by side in one run."""
