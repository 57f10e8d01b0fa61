"""Collects once, refuses to do it twice, and prints the final status."""

import sys
import time

from passerelle_client import AuthenticatedClient
from passerelle_client.api.transactions import get_transaction, init_transaction
from passerelle_client.models import DuplicateError, InitAnswer, InitRequest, TransactionDetailAnswer

url, key = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=key)
back = "https://shop.example/back"
order = InitRequest(
    external_transaction_id="python-1",
    service_code="WALLETA_SN_CASHOUT",
    amount=5000,
    number="771234567",
    call_back_url=back,
    success_url=back,
    failure_url=back,
)
made = init_transaction.sync(client=client, body=order)
assert isinstance(made, InitAnswer), made
again = init_transaction.sync(client=client, body=order)
assert isinstance(again, DuplicateError), again
status = "PENDING"
while status in ("PENDING", "PROCESSING"):
    time.sleep(0.2)
    found = get_transaction.sync(made.transaction.transaction_id, client=client)
    assert isinstance(found, TransactionDetailAnswer), found
    status = found.transaction.status
print(status)
