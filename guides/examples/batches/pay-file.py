import json, os, urllib.error, urllib.request

lines = [("771234567", 1500), ("777654321", 2500)]
run = "bonus-2026-11"


def pay(line, number, amount):
    order = {
        "externalTransactionId": f"{run}-{line}",
        "serviceCode": "WALLETA_SN_CASHIN",
        "amount": amount,
        "number": number,
        "callBackURL": "http://127.0.0.1:9000/webhooks",
        "successUrl": "http://127.0.0.1:9000/thanks",
        "failureUrl": "http://127.0.0.1:9000/sorry",
    }
    request = urllib.request.Request(
        os.environ["PASSERELLE_URL"] + "/api/v1/transaction/init",
        json.dumps(order).encode(),
        {
            "Authorization": "Bearer " + os.environ["PASSERELLE_KEY"],
            "Content-Type": "application/json",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=15) as answer:
            return json.load(answer)["transaction"]
    except urllib.error.HTTPError as refused:
        body = json.load(refused)
        if body["code"] == "DUPLICATE_TRANSACTION":
            return body["transaction"]
        raise SystemExit(f"line {line}: {body['message']}")


for line, (number, amount) in enumerate(lines, 1):
    print(line, pay(line, number, amount)["transactionId"])
