<?php
require 'sdk/php/autoload.php';

$client = new Passerelle\Client(getenv('PASSERELLE_URL'), getenv('PASSERELLE_KEY'));

$started = $client->collect([
    'externalTransactionId' => 'order-1003',
    'serviceCode' => 'WALLETA_SN_CASHOUT',
    'amount' => 5000,
    'number' => '771234567',
    'callBackURL' => 'http://127.0.0.1:9000/webhooks',
    'successUrl' => 'http://127.0.0.1:9000/thanks',
    'failureUrl' => 'http://127.0.0.1:9000/sorry',
]);
$ended = $client->waitForFinal($started->transactionId);
echo "$ended->status $ended->amount $ended->fee\n";
