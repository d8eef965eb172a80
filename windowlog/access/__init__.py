"""How the outside is reached, once for all rooms: databases now, other services with their
connectors."""
