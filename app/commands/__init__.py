"""Commands: one registry feeds menus, toolbar, palette and shortcuts."""
