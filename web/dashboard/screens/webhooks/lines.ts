// Code in four languages that verifies a delivery at the receiver. All but the first need no package. A test runs them.

export const VERIFICATION_SAMPLES = {
  JavaScript: `import { Webhook } from 'standardwebhooks'

const webhook = new Webhook(process.env.WEBHOOK_SECRET)
// rawBody: the text as it came. Throws unless it is genuine.
const { event, payload } = webhook.verify(rawBody, request.headers)`,
  PHP: `$body = file_get_contents('php://input');
[$id, $at, $given] = array_map(fn ($name) => $_SERVER["HTTP_WEBHOOK_$name"] ?? '', ['ID', 'TIMESTAMP', 'SIGNATURE']);
$key = base64_decode(substr(getenv('WEBHOOK_SECRET'), strlen('whsec_')));
$ours = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$at.$body", $key, true));
$matching = array_filter(explode(' ', $given), fn ($one) => hash_equals($ours, $one));
if (!$matching || abs(time() - (int) $at) > 300) {
    http_response_code(400);
    exit('Not genuine.');
}
['event' => $event, 'payload' => $payload] = json_decode($body, true);`,
  Python: `import base64, hashlib, hmac, json, os, time

# raw_body: the bytes as they came; headers: their names in any case.
key = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
sent, at = headers["webhook-id"], headers["webhook-timestamp"]
digest = hmac.new(key, f"{sent}.{at}.".encode() + raw_body, hashlib.sha256).digest()
ours = "v1," + base64.b64encode(digest).decode()
given = headers["webhook-signature"].split()
if abs(time.time() - int(at)) > 300 or not any(hmac.compare_digest(ours, one) for one in given):
    raise PermissionError("Not genuine.")
delivery = json.loads(raw_body)
event, payload = delivery["event"], delivery["payload"]`,
  Ruby: `require 'json'
require 'openssl'

body = request.body.read
id, at, given = %w[ID TIMESTAMP SIGNATURE].map { |name| request.get_header("HTTP_WEBHOOK_#{name}").to_s }
key = ENV.fetch('WEBHOOK_SECRET').delete_prefix('whsec_').unpack1('m')
ours = "v1,#{[OpenSSL::HMAC.digest('SHA256', key, "#{id}.#{at}.#{body}")].pack('m0')}"
is_genuine = given.split.any? { |one| OpenSSL.secure_compare(ours, one) }
raise 'Not genuine.' unless is_genuine && (Time.now.to_i - at.to_i).abs <= 300
event, payload = JSON.parse(body).values_at('event', 'payload')`,
}
