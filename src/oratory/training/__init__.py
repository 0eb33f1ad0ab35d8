"""Training: one plain loop, the tasks that a model is trained for, and the origins that a model can have."""
