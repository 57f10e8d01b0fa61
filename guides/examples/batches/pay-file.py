import os
import passerelle

client = passerelle.Client(os.environ["PASSERELLE_URL"], os.environ["PASSERELLE_KEY"])
lines = [("771234567", 1500), ("777654321", 2500)]
run = "bonus-2026-11"

for line, (number, amount) in enumerate(lines, 1):
    order = {
        "externalTransactionId": f"{run}-{line}",
        "serviceCode": "WALLETA_SN_CASHIN",
        "amount": amount,
        "number": number,
        "callBackURL": "http://127.0.0.1:9000/webhooks",
        "successUrl": "http://127.0.0.1:9000/thanks",
        "failureUrl": "http://127.0.0.1:9000/sorry",
    }
    try:
        payment = client.pay_out(order)
    except passerelle.DuplicateError as earlier:
        # The run before this one has paid the line.
        payment = earlier.record
    print(line, payment.transaction_id, payment.status)
