<?php
// Creates payment links as the provider's plugin for WooCommerce does: its fields, its types, its
// order, and JSON as PHP writes it. Prints one line for each: the status and the answer.
// With a folder of that plugin as the last word, its own class is loaded and sends the requests.

[, $url, $key, $callback, $plugin] = $argv;

function wp_remote_request(string $address, array $args): array
{
    global $url;
    $curl = curl_init($url . parse_url($address, PHP_URL_PATH));
    $headers = $args['headers'];
    curl_setopt_array($curl, [
        CURLOPT_CUSTOMREQUEST => $args['method'],
        CURLOPT_HTTPHEADER => array_map(fn ($name) => "$name: $headers[$name]", array_keys($headers)),
        CURLOPT_POSTFIELDS => $args['body'],
        CURLOPT_USERAGENT => 'WordPress/6.8; https://shop.example',
        CURLOPT_RETURNTRANSFER => true,
    ]);
    $body = curl_exec($curl);
    return ['body' => $body, 'status' => curl_getinfo($curl, CURLINFO_RESPONSE_CODE)];
}

$fields = ['externalTransactionId', 'ItemName', 'ItemPrice', 'customData', 'callBackURL', 'successUrl', 'failureUrl'];
if ($plugin === '') {
    $create = function (...$values) use ($key, $fields) {
        $answer = wp_remote_request('https://gateway/api/v1/transaction/merchant/get-link', [
            'method' => 'POST',
            'headers' => ['Authorization' => "Bearer $key", 'Content-Type' => 'application/json'],
            'body' => json_encode(array_combine($fields, $values)),
        ]);
        return ['status_code' => $answer['status'], 'data' => json_decode($answer['body'], true)];
    };
} else {
    define('ABSPATH', '/');
    function is_wp_error($answer): bool { return false; }
    function wp_remote_retrieve_body(array $answer): string { return $answer['body']; }
    function wp_remote_retrieve_response_code(array $answer): int { return $answer['status']; }
    $before = get_declared_classes();
    require glob("$plugin/includes/class-*-api.php")[0];
    [$class] = array_values(array_diff(get_declared_classes(), $before));
    $create = (new $class($key))->get_payment_link(...);
}

// What WooCommerce calls a total depends on its settings; the address to come back to is written
// for HTML, with `&amp;`.
$totals = ['5000.00', '5000', 5000, 5000.0, '200', '1000000.00', '12500.0', 7500];
foreach ($totals as $index => $total) {
    $id = 1041 + $index;
    $order = "wc_order_$id&amp;order_id=$id&amp;redirect&amp;_wpnonce=8f1d2a";
    $answer = $create(
        $id,
        "Commande #$id",
        $total,
        '',
        $callback,
        "https://shop.example/commande/order-received/$id/?key=wc_order_$id",
        "https://shop.example/panier/?cancel_order=true&amp;order=$order",
    );
    echo json_encode([$answer['status_code'], $answer['data']]), "\n";
}
