"""Export: trained models and runs for other programs."""
