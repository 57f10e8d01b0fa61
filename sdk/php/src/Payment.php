<?php

declare(strict_types=1);

namespace Passerelle;

/**
 * A collection, payout, recharge, bill or refund, in one form whichever endpoint told of it.
 * Amounts are whole francs.
 */
final class Payment
{
    /** What never changes again. */
    public const FINAL = ['SUCCESS', 'FAILED', 'CANCELLED', 'EXPIRED'];

    public function __construct(
        public readonly string $transactionId,
        public readonly string $externalTransactionId,
        /** PENDING, PROCESSING, SUCCESS, FAILED, CANCELLED; of a link also EXPIRED. */
        public readonly string $status,
        /** CASHOUT, CASHIN, AIRTIME, BILL, REFUND; PAYMENT for a link that was looked up. */
        public readonly string $type,
        public readonly string $serviceCode,
        public readonly int $amount,
        public readonly int $fee,
        public readonly string $number,
        public readonly ?Failure $failure,
        public readonly ?NextStep $nextStep,
        public readonly ?string $cashoutUrl,
        /** The recharge codes of a prepaid meter. */
        public readonly ?string $token,
        public readonly ?string $referenceFacture,
        public readonly ?string $originalTransactionId,
        public readonly ?int $refundedAmount,
        public readonly ?int $previousBalance,
        public readonly ?int $currentBalance,
        public readonly ?string $createdAt,
        public readonly ?string $completedAt,
        /** `answer`, or after a lost answer `lookup`; `duplicate`: the record of an exception. */
        public readonly string $foundBy,
    ) {
    }

    public function isFinal(): bool
    {
        return in_array($this->status, self::FINAL, true);
    }

    /**
     * A record of any endpoint; $known fills in what an endpoint leaves out.
     *
     * @internal
     * @param array<string, mixed> $record
     * @param array<string, string> $known
     */
    public static function read(array $record, string $foundBy = 'answer', array $known = []): self
    {
        $step = $record['nextStep'] ?? null;
        return new self(
            transactionId: $record['transactionId'],
            externalTransactionId: $record['externalTransactionId'],
            status: $record['Status'],
            type: $record['Type'] ?? $record['transactionType'] ?? $known['type'],
            serviceCode: $record['ServiceCode']
                ?? $record['serviceCode']
                ?? $known['serviceCode'],
            amount: $record['Amount'] ?? $record['transactionAmount'] ?? $record['amount'],
            fee: $record['Fee'] ?? $record['transactionFee'] ?? $record['fee'],
            number: $record['Number'] ?? $record['number'] ?? $known['number'],
            failure: Failure::read($record),
            nextStep: $step === null ? null : new NextStep($step['type'], $step['instruction']),
            cashoutUrl: ($record['cashout_url'] ?? '') ?: null,
            token: ($record['token'] ?? '') ?: null,
            referenceFacture: ($record['referenceFacture'] ?? '') ?: null,
            originalTransactionId: $record['originalTransactionId'] ?? $known['original'] ?? null,
            refundedAmount: $record['refundedAmount'] ?? null,
            previousBalance: $record['previousBalance'] ?? null,
            currentBalance: $record['currentBalance'] ?? null,
            createdAt: $record['Initiated_at'] ?? $record['INITIATED_AT'] ?? null,
            completedAt: $record['Completed_at'] ?? null,
            foundBy: $foundBy,
        );
    }
}
