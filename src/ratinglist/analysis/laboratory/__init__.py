"""Replay an office's own months under any rating system, and measure what each system predicts."""
