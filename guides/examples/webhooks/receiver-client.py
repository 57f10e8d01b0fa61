import os
from http.server import BaseHTTPRequestHandler, HTTPServer
import passerelle

secret = os.environ["PASSERELLE_WEBHOOK_SECRET"]


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            event = passerelle.verify_webhook(body, self.headers, secret)
            print(event["STATUS"], event["AMOUNT"], event["externalTransactionId"], flush=True)
            self.send_response(200)
        except passerelle.WebhookError:
            self.send_response(400)
        self.end_headers()


HTTPServer(("127.0.0.1", 9000), Receiver).serve_forever()
