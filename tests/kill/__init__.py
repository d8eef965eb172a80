"""Kills: a driver is SIGKILLed at named and at random moments, and what it left is checked before
each restart."""
