"""Makes a release: builds wheel and sdist, checks what is in them, lists their parts, and tries the wheel."""
