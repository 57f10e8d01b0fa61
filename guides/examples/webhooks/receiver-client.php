<?php
require 'sdk/php/autoload.php';

$secret = getenv('PASSERELLE_WEBHOOK_SECRET');
try {
    $body = file_get_contents('php://input');
    $event = Passerelle\Webhook::verify($body, $_SERVER, $secret);
} catch (Passerelle\WebhookException | InvalidArgumentException) {
    http_response_code(400);
    exit;
}
error_log("{$event['STATUS']} {$event['AMOUNT']} {$event['externalTransactionId']}");
