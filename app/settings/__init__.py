"""What the user chose, kept between starts."""
