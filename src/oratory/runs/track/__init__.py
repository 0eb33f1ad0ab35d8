"""Runs shown by other people's trackers: Weights & Biases, TensorBoard, MLflow. None of them is ever needed."""

from oratory.runs.track.follow import TRACKERS, Tracker, together, tracker

__all__ = ["TRACKERS", "Tracker", "together", "tracker"]
