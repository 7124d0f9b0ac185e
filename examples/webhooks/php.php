<?php
// A webhook receiver using only PHP:  WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:4242 examples/webhooks/php.php
// On a web server, set the webhook's URL to this file.

const MOST_BYTES = 5_000_000;

/** Your own reaction to the event. You have 15 seconds to respond, so queue slow work. */
function handle(array $delivery, string $id): void
{
    file_put_contents('php://stdout', $delivery['event'] . ' ' . ($delivery['payload']['id'] ?? '') . " $id\n");
}

/** $body: the raw bytes as received. Parsing and serializing again may change them. */
function isGenuine(string $key, string $body): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $sent = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!ctype_digit($sent) || abs(time() - (int) $sent) > 300) return false;
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$sent.$body", $key, true));
    // Two signatures during a key rotation.
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $signature)
        if (hash_equals($expected, $signature)) return true;
    return false;
}

function answer(): int
{
    $secret = (string) getenv('WEBHOOK_SECRET');
    $key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, 6), true) : false;
    if ($key === false || $key === '') return 500; // WEBHOOK_SECRET is not set.
    $body = (string) file_get_contents('php://input', false, null, 0, MOST_BYTES + 1);
    if (strlen($body) > MOST_BYTES) return 413;
    if (!isGenuine($key, $body)) return 400;
    $id = $_SERVER['HTTP_WEBHOOK_ID'];
    // Each handled event has a file. In production use a row in a table with a unique column, in the same transaction as your own work.
    $mark = sys_get_temp_dir() . '/webhook-' . hash('sha256', $id);
    $isNew = @fopen($mark, 'x');
    if ($isNew === false) return 200;
    fclose($isNew);
    try {
        handle(json_decode($body, true, 512, JSON_THROW_ON_ERROR), $id);
        return 200;
    } catch (Throwable) {
        unlink($mark); // Any status except 2xx makes the shop send the event again.
        return 500;
    }
}

http_response_code(answer());
