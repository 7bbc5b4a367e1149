"""Authors: bylines found and taken apart, persons told from organisations."""
