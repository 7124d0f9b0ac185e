# A webhook receiver using only Python's standard library:  WEBHOOK_SECRET=whsec_… python3 examples/webhooks/python.py

import base64, hashlib, hmac, json, os, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["WEBHOOK_SECRET"]
assert SECRET.startswith("whsec_"), "Set WEBHOOK_SECRET to the signing key: whsec_…"
KEY = base64.b64decode(SECRET[len("whsec_"):])
MOST_BYTES = 5_000_000

# Ids of handled events. In production use a table with a unique column, written in the same transaction as your own work.
handled = set()
one_at_a_time = threading.Lock()


def handle(delivery, event_id):
    """What your shop does about it. What takes long goes into a queue: there are 15 seconds until the answer."""
    print(delivery["event"], delivery["payload"].get("id", ""), event_id, flush=True)


def is_genuine(headers, body):
    """body: the bytes as they came. Parsed and written again they may differ."""
    event_id, sent = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not (sent.isascii() and sent.isdigit()) or abs(time.time() - int(sent)) > 300:
        return False
    digest = hmac.new(KEY, f"{event_id}.{sent}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    # Two signatures during a key rotation.
    signatures = headers.get("webhook-signature", "").encode("utf-8", "replace").split(b" ")
    return any([hmac.compare_digest(each, expected) for each in signatures])


class Receiver(BaseHTTPRequestHandler):
    timeout = 30

    def do_POST(self):
        length = int(self.headers.get("content-length") or 0)
        self.answer(413 if length > MOST_BYTES else self.status_of(self.rfile.read(length)))

    def status_of(self, body):
        if not is_genuine(self.headers, body):
            return 400
        event_id = self.headers["webhook-id"]
        with one_at_a_time:
            if event_id not in handled:
                handle(json.loads(body), event_id)  # An exception closes the connection: it is sent again.
                handled.add(event_id)
        return 200

    def answer(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4242"))), Receiver)
print(f"Listening on http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
