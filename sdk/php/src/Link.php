<?php

declare(strict_types=1);

namespace Passerelle;

/** The address of a payment page for one item. */
final class Link
{
    public function __construct(
        public readonly string $transactionId,
        public readonly string $externalTransactionId,
        public readonly string $paymentUrl,
        /** PENDING, SUCCESS, FAILED or EXPIRED. */
        public readonly string $status,
        public readonly ?int $amount,
        public readonly ?string $itemName,
        public readonly ?string $number,
        public readonly ?Failure $failure,
        public readonly ?string $createdAt,
        public readonly ?string $completedAt,
        /** `answer`, or after a lost answer `lookup`; `duplicate`: the record of an exception. */
        public readonly string $foundBy,
    ) {
    }

    public function isFinal(): bool
    {
        return in_array($this->status, Payment::FINAL, true);
    }

    /**
     * @internal
     * @param array<string, mixed> $record
     */
    public static function read(array $record, string $foundBy = 'answer'): self
    {
        return new self(
            transactionId: $record['transactionId'],
            externalTransactionId: $record['externalTransactionId'],
            paymentUrl: $record['PaymentUrl'],
            status: $record['Status'],
            amount: $record['Amount'] ?? null,
            itemName: $record['ItemName'] ?? null,
            number: $record['Number'] ?? null,
            failure: Failure::read($record),
            createdAt: $record['Initiated_at'] ?? null,
            completedAt: $record['Completed_at'] ?? null,
            foundBy: $foundBy,
        );
    }
}
