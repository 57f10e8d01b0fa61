import os
import passerelle

client = passerelle.Client(os.environ["PASSERELLE_URL"], os.environ["PASSERELLE_KEY"])

started = client.collect(
    {
        "externalTransactionId": "order-1004",
        "serviceCode": "WALLETA_SN_CASHOUT",
        "amount": 5000,
        "number": "771234567",
        "callBackURL": "http://127.0.0.1:9000/webhooks",
        "successUrl": "http://127.0.0.1:9000/thanks",
        "failureUrl": "http://127.0.0.1:9000/sorry",
    }
)
ended = client.wait_for_final(started.transaction_id)
print(ended.status, ended.amount, ended.fee)
