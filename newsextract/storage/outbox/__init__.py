"""Messages that wait to be sent, and how far each target has come."""
