import collections, datetime, json, os, urllib.request

today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
address = f"{os.environ['PASSERELLE_URL']}/api/v1/transaction?from={today}&to={today}&limit=100"
key = {"Authorization": "Bearer " + os.environ["PASSERELLE_KEY"]}

sums = collections.defaultdict(lambda: [0, 0, 0])
after = ""
while after is not None:
    url = address + (f"&after={after}" if after else "")
    with urllib.request.urlopen(urllib.request.Request(url, headers=key), timeout=15) as answer:
        page = json.load(answer)
    for one in page["transactions"]:
        row = sums[one["Type"], one["Status"]]
        row[0] += 1
        row[1] += one["Amount"]
        row[2] += one["Fee"]
    after = page["next"]

print("type;status;count;amount;fees")
for (kind, status), row in sorted(sums.items()):
    print(kind, status, *row, sep=";")
