import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

secret = os.environ["PASSERELLE_WEBHOOK_SECRET"]
key = base64.b64decode(secret.removeprefix("whsec_"))
if not key:
    raise SystemExit("PASSERELLE_WEBHOOK_SECRET is empty: anybody could sign")


def is_genuine(headers, body):
    sent_at = headers.get("webhook-timestamp", "0")
    if not sent_at.isdigit() or abs(time.time() - int(sent_at)) > 300:
        return False
    signed = f"{headers.get('webhook-id')}.{sent_at}.".encode() + body
    mac = hmac.new(key, signed, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(mac).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected.encode(), one.encode()) for one in given)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        genuine = is_genuine(self.headers, body)
        if genuine:
            event = json.loads(body)
            print(event["STATUS"], event["AMOUNT"], event["externalTransactionId"], flush=True)
        self.send_response(200 if genuine else 400)
        self.end_headers()


HTTPServer(("127.0.0.1", 9000), Receiver).serve_forever()
