<?php

/**
 * A small shop that is paid through Passerelle: cart, payment, webhook, receipt.
 *
 *   php -S 127.0.0.1:9000 examples/shop-php/index.php
 *
 * README.md lists its settings. On shared hosting put this file and sdk/php where PHP runs: no
 * rewriting of addresses is needed.
 */

declare(strict_types=1);

use Passerelle\ApiException;
use Passerelle\Client;
use Passerelle\ConnectionException;
use Passerelle\DuplicateException;
use Passerelle\Link;
use Passerelle\NotFoundException;
use Passerelle\OutcomeUnknownException;
use Passerelle\Payment;
use Passerelle\Webhook;
use Passerelle\WebhookException;

require getenv('PASSERELLE_SDK') ?: __DIR__ . '/../../sdk/php/autoload.php';

const PRODUCTS = [
    'mangues' => ["Mangues de Casamance, 1\u{a0}kg", 1500],
    'bissap' => ["Sirop de bissap, 50\u{a0}cl", 2000],
    'cafe' => ["Café Touba, 250\u{a0}g", 2500],
];
const WALLETS = ['WALLETA_SN_CASHOUT' => 'Wallet A', 'WALLETB_SN_CASHOUT' => 'Wallet B'];
// In words for the customer; those of the gateway are for the merchant.
const FAILURES = [
    'PAYER_BALANCE_LOW' => 'Votre solde ne suffit pas.',
    'PAYER_REFUSED' => 'Vous avez refusé le paiement.',
    'PAYER_NO_ANSWER' => 'Vous n’avez pas confirmé à temps.',
    'PAYER_NOT_FOUND' => 'Ce numéro n’a pas ce wallet.',
];
const FAILURE = 'Le paiement n’a pas abouti.';
// A webhook normally comes within seconds. Later the order page asks the gateway itself.
const WEBHOOK_PATIENCE_SECONDS = 30;

$settings = [
    'url' => getenv('PASSERELLE_URL') ?: 'http://127.0.0.1:8080',
    // Those of the sandbox's demo merchant.
    'key' => getenv('PASSERELLE_KEY') ?: 'sk_sandbox_demo_standard',
    'secrets' => explode(',', getenv('PASSERELLE_WEBHOOK_SECRETS')
        ?: 'whsec_c2FuZGJveC1kZW1vLXNlY3JldC0wMDAx'),
    // Where browsers and the gateway reach this shop. Never from the Host header: anyone sets that.
    'shop' => getenv('SHOP_URL') ?: 'http://127.0.0.1:9000/',
    'file' => getenv('SHOP_FILE') ?: sys_get_temp_dir() . '/passerelle-shop.json',
];
$client = new Client($settings['url'], $settings['key'], timeoutSeconds: 15, language: 'fr');
$page = is_string($_GET['page'] ?? null) ? $_GET['page'] : 'cart';
$isPost = $_SERVER['REQUEST_METHOD'] === 'POST';

match (true) {
    $page === 'webhook' && $isPost => receiveWebhook($settings),
    $page === 'buy' && $isPost => buy($client, $settings),
    $page === 'order' && !$isPost => showOrder($client, $settings),
    $page === 'cart' && !$isPost => showCart([], []),
    default => showNothing(),
};

/** Takes an order, and asks the gateway for its payment: once, however often the form is sent. */
function buy(Client $client, array $settings): void
{
    [$order, $problems] = readForm($_POST);
    if ($problems !== []) {
        showCart($_POST, $problems);
        return;
    }
    $id = $order['id'];
    // The order is kept before anything is sent, with the id that the gateway will know it by.
    $isNew = withShop($settings, static function (array &$shop) use ($id, $order): bool {
        $isNew = !isset($shop['orders'][$id]);
        $shop['orders'][$id] ??= $order;
        return $isNew;
    });
    if ($isNew) {
        startPayment($client, $settings, $order);
    }
    header('Location: ' . orderUrl($settings, $id), true, 303);
}

function startPayment(Client $client, array $settings, array $order): void
{
    $result = askForPayment($client, $settings, $order);
    withShop($settings, static function (array &$shop) use ($order, $result): void {
        $known = $shop['orders'][$order['id']];
        // A webhook may have been faster.
        if ($known['state'] === 'open') {
            $shop['orders'][$order['id']] = $result + $known;
        }
    });
}

/** What the gateway says to an order, as fields of the order. */
function askForPayment(Client $client, array $settings, array $order): array
{
    $common = [
        'externalTransactionId' => externalId($order['id']),
        'callBackURL' => $settings['shop'] . '?page=webhook',
        'successUrl' => orderUrl($settings, $order['id']),
        'failureUrl' => orderUrl($settings, $order['id']),
    ];
    try {
        return $order['wallet'] === ''
            ? nextStep($client->createLink($common + [
                'ItemName' => 'Commande ' . substr($order['id'], 0, 8),
                'ItemPrice' => $order['total'],
                'ClientName' => $order['name'],
            ]))
            : nextStep($client->collect($common + [
                'serviceCode' => $order['wallet'],
                'amount' => $order['total'],
                'number' => $order['number'],
            ]));
    } catch (DuplicateException $known) {
        // An earlier request of the same order: the id is of this order alone.
        return nextStep($known->record());
    } catch (OutcomeUnknownException) {
        // It may be under way. The webhook or a lookup by the same id tells; never a second order.
        return ['step' => 'Nous vérifions votre paiement. Ne payez pas une seconde fois.'];
    } catch (ApiException $refused) {
        error_log("order {$order['id']}: " . $refused->getMessage());
        return ['state' => 'failed', 'reason' => FAILURE];
    } catch (ConnectionException) {
        return ['state' => 'failed', 'reason' => 'Le paiement est indisponible. Réessayez.'];
    }
}

/** What the customer does now, as fields of the order. */
function nextStep(Payment|Link|null $record): array
{
    return match (true) {
        $record instanceof Link => ['payUrl' => $record->paymentUrl],
        $record instanceof Payment => [
            'payUrl' => $record->cashoutUrl,
            'step' => 'Confirmez le paiement sur votre téléphone.',
        ],
        default => [],
    };
}

/** Believes what the gateway signed, and nobody else. */
function receiveWebhook(array $settings): void
{
    try {
        $body = (string) file_get_contents('php://input');
        $event = Webhook::verify($body, $_SERVER, $settings['secrets']);
    } catch (WebhookException $problem) {
        error_log('refused a webhook: ' . $problem->reason);
        http_response_code(400);
        return;
    }
    $end = [
        'status' => $event['STATUS'],
        'amount' => $event['AMOUNT'],
        'failure' => $event['FAILURE_CODE'],
    ];
    finishOrder($settings, $event['externalTransactionId'], $end);
    // Also for an order that this shop does not have: another answer would only be retried.
    http_response_code(204);
}

/** Ends an order once, and numbers its receipt: what comes later changes nothing. */
function finishOrder(array $settings, string $externalId, array $end): void
{
    withShop($settings, static function (array &$shop) use ($externalId, $end): void {
        $id = str_replace('shop-', '', $externalId);
        $order = $shop['orders'][$id] ?? null;
        if ($order === null || externalId($id) !== $externalId || $order['state'] === 'paid') {
            return;
        }
        if ($end['status'] !== 'SUCCESS') {
            $reason = FAILURES[$end['failure']] ?? FAILURE;
            $shop['orders'][$id] = ['state' => 'failed', 'reason' => $reason] + $order;
        } elseif ($end['amount'] !== $order['total']) {
            error_log("order $id: paid {$end['amount']} instead of {$order['total']}");
        } else {
            $shop['receipts'] += 1;
            $paid = ['state' => 'paid', 'receipt' => $shop['receipts'], 'paidAt' => time()];
            $shop['orders'][$id] = $paid + $order;
        }
    });
}

function showOrder(Client $client, array $settings): void
{
    $id = is_string($_GET['id'] ?? null) ? $_GET['id'] : '';
    $find = static fn(array &$shop): ?array => $shop['orders'][$id] ?? null;
    $order = withShop($settings, $find);
    if ($order === null) {
        showNothing();
        return;
    }
    if ($order['state'] === 'open' && time() - $order['at'] > WEBHOOK_PATIENCE_SECONDS) {
        lookUp($client, $settings, $order);
        $order = withShop($settings, $find);
    }
    $items = itemTable($order);
    if ($order['state'] === 'paid') {
        $number = e(sprintf('%06d', $order['receipt']));
        $time = e(gmdate('d/m/Y à H:i', $order['paidAt']));
        show(200, "Merci {$order['name']}", <<<HTML
            <p class="good">Paiement reçu.</p>
            <p>Reçu n° <strong id="receipt">$number</strong> du $time GMT</p>
            $items
            <p><a href="?">Retour à la boutique</a></p>
            HTML);
    } elseif ($order['state'] === 'failed') {
        $reason = e($order['reason']);
        show(200, 'Paiement non abouti', <<<HTML
            <p class="bad">$reason</p>
            <p>Votre commande n’est pas payée.</p>
            $items
            <p><a class="button" href="?">Recommencer</a></p>
            HTML);
    } else {
        show(200, 'Votre commande', waiting($order) . $items, refreshSeconds: 3);
    }
}

function showNothing(): void
{
    show(404, 'Introuvable', '<p>Il n’y a rien ici. <a href="?">La boutique</a></p>');
}

function itemTable(array $order): string
{
    $rows = '';
    foreach ($order['items'] as $name => $count) {
        [$title, $price] = PRODUCTS[$name];
        $line = '<tr><td>%s</td><td>%s</td></tr>';
        $rows .= sprintf($line, e("$count × $title"), francs($count * $price));
    }
    $total = francs($order['total']);
    return "<table>$rows<tr class=\"total\"><td>Total</td><td>$total</td></tr></table>";
}

/** Where the customer goes to pay, or what to do on the phone. */
function waiting(array $order): string
{
    $url = $order['payUrl'] ?? '';
    $button = '<p><a class="button" href="%s">Payer %s</a></p>';
    // Only an address of the web: `javascript:` would run.
    return preg_match('#^https?://#i', $url) === 1
        ? sprintf($button, e($url), francs($order['total']))
        : '<p class="wait">' . e($order['step'] ?? 'Nous préparons votre paiement.') . '</p>';
}

/** For webhooks that do not arrive, and for orders whose request died with its process. */
function lookUp(Client $client, array $settings, array $order): void
{
    $externalId = externalId($order['id']);
    try {
        $payment = $client->getPayment($externalId);
        if ($payment->isFinal()) {
            finishOrder($settings, $externalId, [
                'status' => $payment->status,
                'amount' => $payment->amount,
                'failure' => $payment->failure?->code ?? '',
            ]);
        }
    } catch (NotFoundException) {
        // Sent again with the same id: that pays once, even if the first request arrives now.
        startPayment($client, $settings, $order);
    } catch (ApiException | ConnectionException $problem) {
        error_log("order {$order['id']}: " . $problem->getMessage());
    }
}

/** @return array{array, list<string>} the order, and what is wrong with it */
function readForm(array $form): array
{
    $items = [];
    $total = 0;
    foreach (PRODUCTS as $name => [, $price]) {
        $count = field($form, $name);
        if (preg_match('/^[1-9]$/D', $count) === 1) {
            $items[$name] = (int) $count;
            $total += $items[$name] * $price;
        }
    }
    [$id, $name, $wallet] = [field($form, 'id'), field($form, 'name'), field($form, 'wallet')];
    $number = preg_replace(['/\D/', '/^(00)?221(?=\d{9}$)/'], '', field($form, 'number'));
    $problems = array_keys(array_filter([
        'Choisissez au moins un article.' => $items === [],
        'Donnez votre nom, en 80 caractères au plus.' => preg_match('/^.{1,80}$/Du', $name) !== 1,
        'Choisissez comment payer.' => $wallet !== '' && !isset(WALLETS[$wallet]),
        'Donnez le numéro du wallet : 9 chiffres.' => $wallet !== '' && strlen($number) !== 9,
        'Rechargez la page.' => preg_match('/^[0-9a-f]{32}$/D', $id) !== 1,
    ]));
    return [[
        'id' => $id,
        'state' => 'open',
        'at' => time(),
        'name' => $name,
        'items' => $items,
        'total' => $total,
        'wallet' => $wallet,
        'number' => $number,
    ], $problems];
}

/** A field of a form as text: whoever sends it may send a list. */
function field(array $form, string $name): string
{
    return is_string($form[$name] ?? null) ? trim($form[$name]) : '';
}

function showCart(array $form, array $problems): void
{
    $rows = '';
    foreach (PRODUCTS as $name => [$title, $price]) {
        $rows .= sprintf(
            '<p class="item"><label for="%s">%s<br><small>%s</small></label>'
                . '<input id="%1$s" name="%1$s" type="number" min="0" max="9" value="%s"></p>',
            e($name),
            e($title),
            francs($price),
            e(field($form, $name) ?: '0'),
        );
    }
    $options = '<option value="">Page de paiement, au choix</option>';
    foreach (WALLETS as $code => $title) {
        $selected = field($form, 'wallet') === $code ? ' selected' : '';
        $option = '<option value="%s"%s>%s (Sénégal)</option>';
        $options .= sprintf($option, e($code), $selected, e($title));
    }
    $list = implode('', array_map(static fn(string $one) => '<li>' . e($one) . '</li>', $problems));
    $errors = $problems === [] ? '' : "<div class=\"bad\" role=\"alert\"><ul>$list</ul></div>";
    // Of a form that is sent twice the id is the same: one order.
    $id = bin2hex(random_bytes(16));
    $name = e(field($form, 'name'));
    $number = e(field($form, 'number'));
    show($problems === [] ? 200 : 400, 'Boutique Teranga', <<<HTML
        $errors
        <form method="post" action="?page=buy">
        <input type="hidden" name="id" value="$id">
        $rows
        <p><label for="name">Votre nom</label>
        <input id="name" name="name" required maxlength="80" autocomplete="name" value="$name"></p>
        <p><label for="wallet">Payer par</label>
        <select id="wallet" name="wallet">$options</select></p>
        <p><label for="number">Numéro du wallet
        <small>(inutile pour la page de paiement)</small></label>
        <input id="number" name="number" inputmode="tel" autocomplete="tel"
          placeholder="77 123 45 67" value="$number"></p>
        <button>Commander</button>
        </form>
        HTML);
}

/** Sends a page. Nothing on it can run or be loaded from elsewhere. */
function show(int $status, string $title, string $body, int $refreshSeconds = 0): void
{
    $nonce = bin2hex(random_bytes(16));
    http_response_code($status);
    header('Content-Type: text/html; charset=utf-8');
    header("Content-Security-Policy: default-src 'none'; style-src 'nonce-$nonce'; "
        . "form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
    header('X-Content-Type-Options: nosniff');
    header('Referrer-Policy: same-origin');
    header('Cache-Control: no-store');
    if ($refreshSeconds > 0) {
        header("Refresh: $refreshSeconds");
    }
    $title = e($title);
    echo <<<HTML
        <!doctype html>
        <html lang="fr">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>$title</title>
        <style nonce="$nonce">
        :root { color-scheme: light dark; --ink: light-dark(#1d2a24, #e8efe9);
          --soft: light-dark(#5b6b63, #a5b5ac); --line: light-dark(#d5ded8, #38453e);
          --leaf: light-dark(#11643a, #6fcf97); --page: light-dark(#f6f8f5, #141a17) }
        body { font: 17px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page);
          max-width: 30rem; margin: 0 auto; padding: 1rem }
        h1 { font-size: 1.5rem; line-height: 1.2 }
        small { color: var(--soft) }
        label { display: block }
        input, select { font: inherit; color: inherit; background: transparent; width: 100%;
          box-sizing: border-box; padding: .6rem; border: 1px solid var(--soft);
          border-radius: .5rem }
        option { color: #1d2a24; background: #fff }
        .item { display: flex; gap: 1rem; align-items: center; justify-content: space-between;
          border-bottom: 1px solid var(--line); padding-bottom: .8rem }
        .item input { width: 5rem }
        button, .button { display: block; width: 100%; box-sizing: border-box; padding: .8rem;
          border: 0; border-radius: .5rem; font: inherit; font-weight: 600; text-align: center;
          text-decoration: none; color: light-dark(#fff, #10160f); background: var(--leaf) }
        a { color: var(--leaf) }
        table { width: 100%; border-collapse: collapse }
        td { padding: .5rem 0; border-bottom: 1px solid var(--line) }
        td + td { text-align: right; white-space: nowrap }
        .total td { font-weight: 600; border: 0 }
        .good { color: var(--leaf); font-weight: 600 }
        .bad { color: light-dark(#a3271b, #ff9c8f) }
        .wait { padding: .8rem; border: 1px solid var(--line); border-radius: .5rem }
        </style>
        <main><h1>$title</h1>
        $body
        </main>
        </html>
        HTML;
}

/** Changes what the shop keeps, one request at a time. No request to others is made meanwhile. */
function withShop(array $settings, callable $change): mixed
{
    $lock = fopen($settings['file'] . '.lock', 'c');
    if ($lock === false || !flock($lock, LOCK_EX)) {
        throw new RuntimeException('SHOP_FILE cannot be locked');
    }
    try {
        $before = is_file($settings['file']) ? (string) file_get_contents($settings['file']) : '';
        $shop = $before === ''
            ? ['orders' => [], 'receipts' => 0]
            : json_decode($before, true, 512, JSON_THROW_ON_ERROR);
        $result = $change($shop);
        $after = json_encode($shop, JSON_THROW_ON_ERROR);
        if ($after !== $before) {
            // Under another name first: a file that is written by half would lose all orders.
            file_put_contents($settings['file'] . '.new', $after);
            rename($settings['file'] . '.new', $settings['file']);
        }
        return $result;
    } finally {
        fclose($lock);
    }
}

function externalId(string $orderId): string
{
    return "shop-$orderId";
}

function orderUrl(array $settings, string $id): string
{
    return $settings['shop'] . '?page=order&id=' . rawurlencode($id);
}

function francs(int $amount): string
{
    return number_format($amount, 0, ',', "\u{202f}") . "\u{a0}F\u{a0}CFA";
}

/** Text for HTML: whatever a customer typed stays text. */
function e(string $text): string
{
    return htmlspecialchars($text, ENT_QUOTES | ENT_SUBSTITUTE | ENT_HTML5, 'UTF-8');
}
