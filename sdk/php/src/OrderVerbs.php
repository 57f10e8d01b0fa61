<?php

declare(strict_types=1);

namespace Passerelle;

/**
 * Orders: each is carried out once, whatever the network loses. `$beforeSend` is given the external
 * id before anything is sent: store it there.
 */
trait OrderVerbs
{
    /**
     * Asks a customer to pay (`…_CASHOUT`).
     *
     * @param array{serviceCode: string, amount: int, number: string, callBackURL: string,
     *   successUrl: string, failureUrl: string, externalTransactionId?: string,
     *   sub_merchant_id?: string} $order
     * @param (callable(string): void)|null $beforeSend
     */
    public function collect(array $order, ?callable $beforeSend = null): Payment
    {
        return $this->init('CASHOUT', $order, $beforeSend);
    }

    /**
     * Sends money to a customer's wallet (`…_CASHIN`).
     *
     * @param array<string, mixed> $order as of collect
     * @param (callable(string): void)|null $beforeSend
     */
    public function payOut(array $order, ?callable $beforeSend = null): Payment
    {
        return $this->init('CASHIN', $order, $beforeSend);
    }

    /**
     * Recharges a customer's phone (`…_AIRTIME`).
     *
     * @param array<string, mixed> $order as of collect
     * @param (callable(string): void)|null $beforeSend
     */
    public function sellAirtime(array $order, ?callable $beforeSend = null): Payment
    {
        return $this->init('AIRTIME', $order, $beforeSend);
    }

    /**
     * Pays a bill, or tops a prepaid meter up; `token` is then its recharge code.
     *
     * @param array{serviceCode: string, reference_client: string, amount?: int,
     *   reference_facture?: string, externalTransactionId?: string, callBackURL?: string,
     *   customData?: string, sub_merchant_id?: string} $order
     * @param (callable(string): void)|null $beforeSend
     */
    public function payBill(array $order, ?callable $beforeSend = null): Payment
    {
        $code = $order['serviceCode'] ?? null;
        // A bill imposes its amount; that of a meter is chosen.
        $amount = $code === 'PREPAID_SN_BILL' ? ($order['amount'] ?? null) : null;
        $number = $order['reference_client'] ?? null;
        $wanted = compact('amount', 'number') + ['type' => 'BILL', 'serviceCode' => $code]
            + ['referenceFacture' => $order['reference_facture'] ?? null];
        return $this->pay('/api/v1/billing/pay', $order, $wanted, $beforeSend);
    }

    /**
     * Sends a successful collection or link back: all that is left of it, or `amount`.
     *
     * @param array{amount?: int, reason?: string, externalTransactionId?: string,
     *   callBackURL?: string} $order
     * @param (callable(string): void)|null $beforeSend
     */
    public function refund(string $id, array $order = [], ?callable $beforeSend = null): Payment
    {
        $wanted = ['type' => 'REFUND', 'amount' => $order['amount'] ?? null];
        $path = '/api/v1/transaction/refund/' . Request::part($id);
        return $this->pay($path, $order, $wanted, $beforeSend, $id);
    }

    /**
     * Makes the address of a payment page, to be sent to a customer.
     *
     * @param array{ItemName: string, ItemPrice: int, callBackURL: string, successUrl: string,
     *   failureUrl: string, externalTransactionId?: string, customData?: string,
     *   ClientName?: string, ClientPhone?: string, Email?: string, sub_merchant_id?: string,
     *   expiresIn?: int, language?: string} $order
     * @param (callable(string): void)|null $beforeSend
     */
    public function createLink(array $order, ?callable $beforeSend = null): Link
    {
        [$order, $id] = self::withId($order, $order['ItemPrice'] ?? null);
        $isMine = static fn(Link $link): bool => $link->amount === ($order['ItemPrice'] ?? null)
            && $link->itemName === ($order['ItemName'] ?? null);
        $link = $this->place(new Order(
            $id,
            new Request('POST', '/api/v1/transaction/merchant/get-link', $order),
            new Request('GET', '/api/v1/merchant/' . Request::part($id)),
            static fn(array $body, string $foundBy) => Link::read($body['transaction'], $foundBy),
            $isMine,
        ), $beforeSend);
        assert($link instanceof Link);
        return $link;
    }

    /** Hands on the one-time code that a customer of WALLETD was sent. */
    public function confirmCode(string $id, #[\SensitiveParameter] string $otp): Payment
    {
        $path = '/api/v1/transaction/confirm/walletd';
        // All that a confirmation leaves out; a one-time code is only asked for a collection.
        $known = ['type' => 'CASHOUT', 'serviceCode' => '', 'number' => ''];
        return $this->calls->confirm(
            new Request('POST', $path, ['transactionId' => $id, 'otp' => $otp]),
            new Request('GET', '/api/v1/transaction/' . Request::part($id)),
            static fn(array $body, string $foundBy)
                => Payment::read($body['transaction'], $foundBy, $known),
        );
    }

    /** @param array<string, mixed> $order */
    private function init(string $type, array $order, ?callable $beforeSend): Payment
    {
        $code = $order['serviceCode'] ?? null;
        if (!is_string($code) || !str_ends_with($code, "_$type")) {
            throw new \InvalidArgumentException("serviceCode must end in _$type");
        }
        $names = ['serviceCode' => true, 'amount' => true, 'number' => true];
        $wanted = ['type' => $type] + array_intersect_key($order, $names);
        return $this->pay('/api/v1/transaction/init', $order, $wanted, $beforeSend);
    }

    /**
     * Pays once; $wanted is what a record must be like to be this payment's.
     *
     * @param array<string, mixed> $order
     * @param array<string, mixed> $wanted
     */
    private function pay(
        string $path,
        array $order,
        array $wanted,
        ?callable $beforeSend,
        ?string $originalId = null,
    ): Payment {
        [$order, $id] = self::withId($order, $order['amount'] ?? null);
        $known = ['serviceCode' => $wanted['serviceCode'] ?? ''];
        $payment = $this->place(new Order(
            $id,
            new Request('POST', $path, $order),
            new Request('GET', '/api/v1/transaction/' . Request::part($id)),
            static fn(array $body, string $foundBy) => Payment::read(
                $body['transaction'],
                $foundBy,
                $known + ['original' => $body['refund']['originalTransactionId'] ?? null],
            ),
            static function (Payment $payment) use ($wanted): bool {
                // Billers write customers with leading zeros.
                $bare = static fn(mixed $value) => is_string($value) ? ltrim($value, '0') : $value;
                foreach ($wanted as $name => $value) {
                    if ($value !== null && $bare($payment->$name) !== $bare($value)) {
                        return false;
                    }
                }
                return true;
            },
            $originalId,
        ), $beforeSend);
        assert($payment instanceof Payment);
        return $payment;
    }

    private function place(Order $order, ?callable $beforeSend): Payment|Link
    {
        if ($beforeSend !== null) {
            $beforeSend($order->externalId);
        }
        return $this->calls->order($order);
    }

    /**
     * The body of an order, and the external id in it.
     *
     * @param array<string, mixed> $order
     * @return array{array<string, mixed>, string}
     */
    private static function withId(array $order, mixed $amount): array
    {
        // Whether a text is a number, or a number high enough, is the gateway's to say.
        if (is_float($amount)) {
            throw new \InvalidArgumentException('amounts are whole francs: an int');
        }
        $id = $order['externalTransactionId'] ?? self::newExternalId();
        if (!is_string($id)) {
            throw new \InvalidArgumentException('externalTransactionId must be a string');
        }
        return [['externalTransactionId' => $id] + $order, $id];
    }
}
