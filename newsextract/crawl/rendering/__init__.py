"""The browser: pages whose text only scripts show are rendered, through a proxy of our own, within limits."""
