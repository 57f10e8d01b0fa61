<?php
require 'sdk/php/autoload.php';

$client = new Passerelle\Client(getenv('PASSERELLE_URL'), getenv('PASSERELLE_KEY'));

$sale = $client->getPayment('sold-2');
echo 'left to give back: ', $sale->amount - ($sale->refundedAmount ?? 0), "\n";

$refund = $client->refund($sale->transactionId, [
    'externalTransactionId' => 'sold-2-back-' . hrtime(true),
    'amount' => 1000,
]);
$ended = $client->waitForFinal($refund->transactionId);
echo "$ended->type $ended->status $ended->amount\n";
