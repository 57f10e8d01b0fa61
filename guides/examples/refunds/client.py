import os, time
import passerelle

client = passerelle.Client(os.environ["PASSERELLE_URL"], os.environ["PASSERELLE_KEY"])

sale = client.get_payment("sold-2")
print("left to give back:", sale.amount - (sale.refunded_amount or 0))

refund = client.refund(
    sale.transaction_id,
    {"externalTransactionId": f"sold-2-back-{time.time_ns()}", "amount": 1000},
)
ended = client.wait_for_final(refund.transaction_id)
print(ended.type, ended.status, ended.amount)
