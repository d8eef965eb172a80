"""Real services on this machine, for tests: started from what pip and Java bring, and surely ended.

HdfsService starts a name node and a data node, KafkaService a broker.
`python -m windowed.testing.services start` starts all that there are and leaves them running; see
docs/testing_your_pipeline.md.
"""

from windowed.testing.services.errors import ServiceFailed, ServiceUnavailable
from windowed.testing.services.hdfs import HdfsService
from windowed.testing.services.kafka import KafkaService

__all__ = ["HdfsService", "KafkaService", "ServiceFailed", "ServiceUnavailable"]
