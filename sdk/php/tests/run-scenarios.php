<?php

declare(strict_types=1);

// Runs the scenarios of a file that the host made (sdk/README.md), one line of JSON for each.

namespace Passerelle\Tests;

use Passerelle\Client;
use Passerelle\DuplicateException;
use Passerelle\OutcomeUnknownException;
use Passerelle\PasserelleException;
use Passerelle\Webhook;

require __DIR__ . '/../autoload.php';

const ORDERS = ['collect', 'payOut', 'sellAirtime', 'payBill', 'refund', 'createLink'];

set_error_handler(static function (int $level, string $text, string $file, int $line): bool {
    throw new \ErrorException($text, 0, $level, $file, $line);
});

final class Wrong extends \Exception
{
}

/** @return string|null the problem of a scenario */
function runScenario(array $scenario): ?string
{
    $options = $scenario['client'] ?? [];
    $key = $options['apiKey'] ?? $scenario['apiKey'];
    $open = static fn(?int $giveUpMs) => new Client(
        $scenario['baseUrl'],
        $key,
        timeoutSeconds: ($options['timeoutMs'] ?? 30_000) / 1000,
        tries: $options['tries'] ?? 5,
        giveUpSeconds: $giveUpMs === null ? null : $giveUpMs / 1000,
    );
    $client = $open(null);
    ob_start();
    var_dump($client);
    print_r($client);
    if (str_contains((string) ob_get_clean(), $key)) {
        return 'the key is in a dump of the client';
    }
    $known = [];
    foreach ($scenario['steps'] as $index => $step) {
        $jobs = [];
        $client = $open($step['giveUpMs'] ?? null);
        for ($number = 0; $number < ($step['parallel'] ?? 1); $number += 1) {
            $jobs[] = static function () use ($client, $step, $known, $number, $key): array {
                try {
                    $result = runStep($client, $step, $known + ['n' => $number], $key);
                    return ['result' => $result, 'problem' => null];
                } catch (\Throwable $wrong) {
                    $text = $wrong instanceof Wrong ? $wrong->getMessage() : (string) $wrong;
                    return ['result' => null, 'problem' => $text];
                }
            };
        }
        $ends = count($jobs) === 1 ? [$jobs[0]()] : inParallel($jobs);
        foreach ($ends as ['problem' => $problem]) {
            if ($problem !== null) {
                return 'step ' . ($index + 1) . ", {$step['verb']}: $problem";
            }
        }
        if (isset($step['as'])) {
            $known[$step['as']] = $ends[0]['result'];
        }
    }
    return null;
}

/** Runs functions at once, each in a process of its own, and returns what they return, as JSON. */
function inParallel(array $jobs): array
{
    $pipes = array_map(static function (\Closure $job) {
        [$mine, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        if (pcntl_fork() === 0) {
            fclose($mine);
            fwrite($theirs, json_encode($job(), JSON_INVALID_UTF8_SUBSTITUTE));
            exit(0);
        }
        fclose($theirs);
        return $mine;
    }, $jobs);
    $results = array_map(
        static fn($pipe) => json_decode((string) stream_get_contents($pipe), true),
        $pipes,
    );
    while (pcntl_wait($status) > 0);
    return $results;
}

function runStep(Client $client, array $step, array $known, string $key): mixed
{
    $told = [];
    $note = static function (string $id) use (&$told): void {
        $told[] = $id;
    };
    $error = null;
    $result = null;
    try {
        $result = plain(call($client, $step, fill($step['args'] ?? [], $known), $note));
    } catch (PasserelleException | \InvalidArgumentException $error) {
        $result = plain($error);
        if (str_contains(print_r($error, true) . $error, $key)) {
            throw new Wrong('the key is in the error');
        }
    }
    if (isset($step['error'])) {
        $wanted = fill($step['error'], $known);
        $type = $wanted->type;
        if ($error === null) {
            throw new Wrong('no error but ' . json_encode($result));
        }
        if (!in_array($type, kindsOf($error), true)) {
            throw new Wrong($error::class . " instead of $type: $error");
        }
        compare(['type' => $type] + $result, $wanted, 'error');
    } elseif ($error !== null) {
        throw $error;
    } else {
        compare($result, fill($step['expect'], $known), 'result');
    }
    $id = is_array($result) ? ($result['externalTransactionId'] ?? null) : null;
    if (in_array($step['verb'], ORDERS, true) && $id !== null && $told !== [$id]) {
        throw new Wrong('beforeSend was given ' . json_encode($told) . ", and the order had $id");
    }
    return $result;
}

function call(Client $client, array $step, array $args, \Closure $note): mixed
{
    $verb = $step['verb'];
    if ($verb === 'open') {
        return new Client($args[0], $args[1], language: $args[2] ?? null);
    }
    if ($verb === 'verifyWebhook') {
        $options = array_pop($args);
        $tolerance = $options['toleranceS'] ?? Webhook::TOLERANCE_SECONDS;
        return Webhook::verify(...$args, toleranceSeconds: $tolerance, now: $options['nowS']);
    }
    if ($verb === 'waitForFinal' && count($args) > 1) {
        $args[1] = $args[1]['timeoutMs'] / 1000;
    }
    $named = in_array($verb, ORDERS, true) ? ['beforeSend' => $note] : [];
    $result = $client->$verb(...$args, ...$named);
    if (!is_iterable($result) || (is_array($result) && !isset($step['take']))) {
        return $result;
    }
    $taken = [];
    foreach ($result as $one) {
        $taken[] = $one;
        if (count($taken) === ($step['take'] ?? null)) {
            break;
        }
    }
    return $taken;
}

/** @return list<string> */
function kindsOf(\Throwable $error): array
{
    if (!$error instanceof PasserelleException) {
        return ['ArgumentError'];
    }
    $isUnknown = $error instanceof OutcomeUnknownException;
    $classes = [$isUnknown ? '' : 'GivenUp', $error::class, ...array_values(class_parents($error))];
    // Passerelle\ApiException is what the table calls ApiError.
    return preg_replace(['/^.*\\\\/', '/Exception$/'], ['', 'Error'], $classes);
}

/** A value as JSON would have it. */
function plain(mixed $value): mixed
{
    if ($value instanceof \Throwable) {
        $fields = get_object_vars($value);
        $fields['code'] = $fields['errorCode'] ?? null;
        $fields['record'] = $value instanceof DuplicateException ? $value->record() : null;
        return plain($fields);
    }
    if (is_object($value)) {
        $value = get_object_vars($value);
    }
    return is_array($value) ? array_map(plain(...), $value) : $value;
}

function fill(mixed $value, array $known): mixed
{
    if ($value instanceof \stdClass) {
        return (object) fill((array) $value, $known);
    }
    if (is_array($value)) {
        return array_map(static fn($one) => fill($one, $known), $value);
    }
    if (!is_string($value)) {
        return $value;
    }
    if (preg_match('/^\{([\w.]+)\}$/D', $value, $match) === 1 && has($known, $match[1])) {
        return at($known, $match[1]);
    }
    $one = static fn(array $match) =>
        has($known, $match[1]) ? (string) at($known, $match[1]) : $match[0];
    return preg_replace_callback('/\{([\w.]+)\}/', $one, $value);
}

function has(array $known, string $path): bool
{
    return array_key_exists(explode('.', $path)[0], $known);
}

function at(mixed $known, string $path): mixed
{
    foreach (explode('.', $path) as $name) {
        $known = $known[$name];
    }
    return $known;
}

function compare(mixed $found, mixed $wanted, string $where): void
{
    if (is_array($wanted) || $wanted instanceof \stdClass) {
        if (!is_array($found) || (is_array($wanted) && count($found) !== count($wanted))) {
            throw new Wrong("$where is " . json_encode($found));
        }
        foreach ((array) $wanted as $name => $one) {
            compare($found[$name] ?? null, $one, "$where.$name");
        }
        return;
    }
    $isSo = match ($wanted) {
        '$text' => is_string($found) && $found !== '',
        '$whole' => is_int($found),
        '$any' => $found !== null,
        '$absent' => $found === null,
        default => $found === $wanted,
    };
    if (!$isSo) {
        throw new Wrong("$where is " . json_encode($found) . ', not ' . json_encode($wanted));
    }
}

function report(array $scenario): void
{
    $line = ['name' => $scenario['name'], 'problem' => runScenario($scenario)];
    fwrite(STDOUT, json_encode($line, JSON_INVALID_UTF8_SUBSTITUTE) . "\n");
}

$text = file_get_contents($argv[1]);
$scenarios = json_decode($text, true, 512, JSON_THROW_ON_ERROR);
// What is expected is kept as objects, which tells {} from [].
foreach (json_decode($text) as $index => $scenario) {
    foreach ($scenario->steps as $number => $step) {
        foreach (['expect', 'error'] as $name) {
            if (isset($step->$name)) {
                $scenarios[$index]['steps'][$number][$name] = $step->$name;
            }
        }
    }
}
$together = array_filter($scenarios, static fn(array $one) => !($one['alone'] ?? false));
// So many processes, each with some of them: neighbours, which are alike, in different ones.
$shares = [];
foreach (array_values($together) as $index => $scenario) {
    $shares[$index % 16][] = $scenario;
}
$reportAll = static fn(array $share) => static fn() => array_map(report(...), $share);
inParallel(array_map($reportAll, $shares));
foreach (array_filter($scenarios, static fn(array $one) => $one['alone'] ?? false) as $scenario) {
    report($scenario);
}
