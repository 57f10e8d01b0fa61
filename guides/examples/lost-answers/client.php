<?php
require 'sdk/php/autoload.php';

use Passerelle\DuplicateException;
use Passerelle\OutcomeUnknownException;

$client = new Passerelle\Client(
    getenv('PASSERELLE_URL'),
    getenv('PASSERELLE_KEY'),
    giveUpSeconds: 30.0,
);

function collectOnce(Passerelle\Client $client, array $order): Passerelle\Payment
{
    try {
        // Store the id here: it is known before anything is sent.
        return $client->collect($order, beforeSend: function (string $id) {
            echo "sending $id\n";
        });
    } catch (DuplicateException $earlier) {
        // An earlier run has sent it.
        return $earlier->record() ?? throw $earlier;
    } catch (OutcomeUnknownException $unknown) {
        // It may have been recorded: look it up later, and do not pay under another id.
        echo "unknown $unknown->externalTransactionId\n";
        throw $unknown;
    }
}

$order = [
    'externalTransactionId' => 'lost-4',
    'serviceCode' => 'WALLETA_SN_CASHOUT',
    'amount' => 5000,
    'number' => '771234567',
    'callBackURL' => 'http://127.0.0.1:9000/webhooks',
    'successUrl' => 'http://127.0.0.1:9000/thanks',
    'failureUrl' => 'http://127.0.0.1:9000/sorry',
];
$first = collectOnce($client, $order);
$second = collectOnce($client, $order);
echo $first->transactionId === $second->transactionId ? "one payment\n" : "two payments\n";
