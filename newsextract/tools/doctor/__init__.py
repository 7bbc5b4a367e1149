"""The checks of `scrapy doctor`: what is wrong with an installation or project, and what to do about it.

In: the settings of a project, the machine, a database. Out: findings with advice; nothing is changed.
"""
