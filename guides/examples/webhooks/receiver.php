<?php
function isGenuine(string $body): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $time = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '0';
    if (abs(time() - (int) $time) > 300) {
        return false;
    }
    $secret = str_replace('whsec_', '', (string) getenv('PASSERELLE_WEBHOOK_SECRET'));
    $key = base64_decode($secret);
    if ($key === '') {
        return false; // with an empty key anybody could sign
    }
    $mac = hash_hmac('sha256', "$id.$time.$body", $key, true);
    $expected = 'v1,' . base64_encode($mac);
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $given) {
        if (hash_equals($expected, $given)) {
            return true;
        }
    }
    return false;
}

$body = file_get_contents('php://input');
if (!isGenuine($body)) {
    http_response_code(400);
    exit;
}
$event = json_decode($body, true);
error_log("{$event['STATUS']} {$event['AMOUNT']} {$event['externalTransactionId']}");
