"""Loudspeakers and microphones of this computer."""
