"""What calls give: payments and links in one form, whichever endpoint told of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Generic, List, Mapping, Optional, TypeVar, Union

#: What never changes again.
FINAL_STATUSES = frozenset(["SUCCESS", "FAILED", "CANCELLED", "EXPIRED"])

T = TypeVar("T")


@dataclass(frozen=True)
class Failure:
    """Why a payment ended without success."""

    code: str
    message: str
    #: Whether the same payment may succeed later, under a new external id.
    retryable: bool


@dataclass(frozen=True)
class NextStep:
    """What the customer does now: ``push``, ``redirect`` (to ``cashout_url``) or ``otp``."""

    type: str
    instruction: str


@dataclass(frozen=True)
class Payment:
    """A collection, payout, recharge, bill or refund. Amounts are whole francs."""

    transaction_id: str
    external_transaction_id: str
    #: PENDING, PROCESSING, SUCCESS, FAILED, CANCELLED; of a link also EXPIRED.
    status: str
    #: CASHOUT, CASHIN, AIRTIME, BILL, REFUND; PAYMENT for a link that was looked up.
    type: str
    service_code: str
    amount: int
    fee: int
    number: str
    failure: Optional[Failure] = None
    next_step: Optional[NextStep] = None
    cashout_url: Optional[str] = None
    #: The recharge codes of a prepaid meter.
    token: Optional[str] = None
    reference_facture: Optional[str] = None
    original_transaction_id: Optional[str] = None
    refunded_amount: Optional[int] = None
    previous_balance: Optional[int] = None
    current_balance: Optional[int] = None
    created_at: Optional[str] = None
    completed_at: Optional[str] = None
    #: ``answer``, or after a lost answer ``lookup``; ``duplicate``: the record of an error.
    found_by: str = "answer"

    @property
    def is_final(self) -> bool:
        return self.status in FINAL_STATUSES


@dataclass(frozen=True)
class Link:
    """The address of a payment page for one item."""

    transaction_id: str
    external_transaction_id: str
    payment_url: str
    #: PENDING, SUCCESS, FAILED or EXPIRED.
    status: str
    amount: Optional[int] = None
    item_name: Optional[str] = None
    number: Optional[str] = None
    failure: Optional[Failure] = None
    created_at: Optional[str] = None
    completed_at: Optional[str] = None
    found_by: str = "answer"

    @property
    def is_final(self) -> bool:
        return self.status in FINAL_STATUSES


@dataclass(frozen=True)
class Page(Generic[T]):
    """One page of a list. ``next`` goes into ``after`` of the next one; None: the last page."""

    items: List[T]
    next: Optional[str]


def read_payment(record: Mapping[str, Any], found_by: str = "answer", **known: str) -> Payment:
    """A record of any endpoint; `known` fills in what an endpoint leaves out."""

    def first(*names: str) -> Any:
        found = [record[name] for name in names if record.get(name) is not None]
        return (found + [known[name] for name in names if name in known])[0]

    step = record.get("nextStep")
    return Payment(
        transaction_id=record["transactionId"],
        external_transaction_id=record["externalTransactionId"],
        status=record["Status"],
        type=first("Type", "transactionType"),
        service_code=first("ServiceCode", "serviceCode"),
        amount=_whole(first("Amount", "transactionAmount", "amount")),
        fee=_whole(first("Fee", "transactionFee", "fee")),
        number=first("Number", "number"),
        failure=_read_failure(record),
        next_step=NextStep(step["type"], step["instruction"]) if step else None,
        cashout_url=record.get("cashout_url") or None,
        token=record.get("token") or None,
        reference_facture=record.get("referenceFacture") or None,
        original_transaction_id=record.get("originalTransactionId")
        or known.get("original")
        or None,
        refunded_amount=record.get("refundedAmount"),
        previous_balance=record.get("previousBalance"),
        current_balance=record.get("currentBalance"),
        created_at=record.get("Initiated_at") or record.get("INITIATED_AT"),
        completed_at=record.get("Completed_at"),
        found_by=found_by,
    )


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("an amount is no whole number")
    return value


def read_link(record: Mapping[str, Any], found_by: str = "answer") -> Link:
    """A record of any endpoint as a link; raises KeyError if it is none."""
    return Link(
        transaction_id=record["transactionId"],
        external_transaction_id=record["externalTransactionId"],
        payment_url=record["PaymentUrl"],
        status=record["Status"],
        amount=record.get("Amount"),
        item_name=record.get("ItemName"),
        number=record.get("Number"),
        failure=_read_failure(record),
        created_at=record.get("Initiated_at"),
        completed_at=record.get("Completed_at"),
        found_by=found_by,
    )


def read_record(record: Any) -> Union[Payment, Link, None]:
    """The record of a 409, whatever it is; None where there is none."""
    if not isinstance(record, dict) or "transactionId" not in record:
        return None
    if "PaymentUrl" in record:
        return read_link(record, "duplicate")
    return read_payment(record, "duplicate", serviceCode="")


def _read_failure(record: Mapping[str, Any]) -> Optional[Failure]:
    failure: Optional[Dict[str, Any]] = record.get("failure")
    if not failure:
        return None
    return Failure(failure["code"], failure["message"], failure["retryable"])
