"""What target, drafter and encoders cost on a device: measured, kept and read by replay."""
