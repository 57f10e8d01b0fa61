import json, os, urllib.request

address = os.environ["PASSERELLE_URL"] + "/api/v1/events?limit=100"
key = {"Authorization": "Bearer " + os.environ["PASSERELLE_KEY"]}


def read_page(cursor):
    url = address if cursor is None else f"{address}&after={cursor}"
    with urllib.request.urlopen(urllib.request.Request(url, headers=key), timeout=15) as answer:
        return json.load(answer)


cursor = None
while True:
    page = read_page(cursor)
    for entry in page["events"]:
        event = entry["event"]
        print(entry["cursor"], event["STATUS"], event["externalTransactionId"])
        cursor = entry["cursor"]
    if not page["events"]:
        break
