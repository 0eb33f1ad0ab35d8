"""Runs shown by other people's trackers: Weights & Biases, TensorBoard, MLflow. None of them is ever needed."""

from oratory.exports.track.follow import TRACKERS, Tracker, tracker

__all__ = ["TRACKERS", "Tracker", "tracker"]
