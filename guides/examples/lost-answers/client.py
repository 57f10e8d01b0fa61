import os
import passerelle

client = passerelle.Client(
    os.environ["PASSERELLE_URL"], os.environ["PASSERELLE_KEY"], give_up_after=30
)


def collect_once(order):
    try:
        # Store the id in before_send: it is known before anything is sent.
        return client.collect(order, before_send=lambda id: print("sending", id))
    except passerelle.DuplicateError as earlier:
        # An earlier run has sent it.
        if earlier.record is None:
            raise
        return earlier.record
    except passerelle.OutcomeUnknownError as unknown:
        # It may have been recorded: look it up later, and do not pay under another id.
        print("unknown", unknown.external_transaction_id)
        raise


order = {
    "externalTransactionId": "lost-5",
    "serviceCode": "WALLETA_SN_CASHOUT",
    "amount": 5000,
    "number": "771234567",
    "callBackURL": "http://127.0.0.1:9000/webhooks",
    "successUrl": "http://127.0.0.1:9000/thanks",
    "failureUrl": "http://127.0.0.1:9000/sorry",
}
first = collect_once(order)
second = collect_once(order)
print("one payment" if first.transaction_id == second.transaction_id else "two payments")
